import { describe, expect, it, vi } from 'vitest';
import type { RecordedSocket } from '../../testing/recorded-socket.ts';
import { T0, VenueRig } from '../../testing/venue-rig.ts';

const DECIMALS = { 'X-Gate-Size-Decimal': '1' };
/** A busy machine may take its time. */
const PATIENCE = { timeout: 10_000 };
const rig = new VenueRig('gate');

function ask<Answer>(call: string, headers = {}): Promise<{ status: number; body: Answer }> {
  return rig.ask(`/api/v4/futures/${call}`, headers);
}

interface Contract {
  readonly name: string;
  readonly quanto_multiplier: string;
  readonly position_size: string | number;
}

describe('the calls', () => {
  it('list what is traded, what is no crypto, and what is gone, in pages', async () => {
    const { body } = await ask<Contract[]>('usdt/contracts?limit=1000', DECIMALS);
    const byName = new Map(body.map((row) => [row.name, row]));
    expect(byName.get('BTC_USDT')).toMatchObject({ type: 'direct', status: 'trading', contract_type: '' });
    expect(byName.get('TSLA_USDT')).toMatchObject({ contract_type: 'stocks' });
    for (const name of ['PAXG_USDT', 'XAUT_USDT'])
      expect(byName.get(name)).toMatchObject({ contract_type: 'metals' });
    expect(byName.get('DOGE_USDT')).not.toHaveProperty('status');
    expect(byName.get('MATIC_USDT')).toMatchObject({ status: 'delisted', in_delisting: true });
    const page = await ask<Contract[]>('usdt/contracts?limit=2&offset=1', DECIMALS);
    expect(page.body).toEqual(body.slice(1, 3));
    expect((await ask('btc/contracts')).body).toEqual([]);
  });

  it('count contracts, in tenths only for clients that ask for them', async () => {
    const { body } = await ask<Contract>('usdt/contracts/BTC_USDT', DECIMALS);
    const whole = await ask<Contract>('usdt/contracts/BTC_USDT');
    expect(typeof body.position_size).toBe('string');
    expect(whole.body.position_size).toBe(Math.trunc(Number(body.position_size)));
  });

  it('complain in the words of the venue', async () => {
    const unknown = { status: 400, body: { label: 'CONTRACT_NOT_FOUND' } };
    expect(await ask('usdt/contracts/FOO_USDT')).toMatchObject(unknown);
    expect(await ask('usdt/tickers?contract=FOO_USDT')).toMatchObject(unknown);
    expect(await ask('usdt/contracts?limit=1001')).toMatchObject({
      status: 400,
      body: { label: 'INVALID_PARAM_VALUE' },
    });
  });
});

interface Frame {
  readonly channel: string;
  readonly event: string;
  /** A single one may come without the array. */
  readonly result: readonly Liquidation[] | Liquidation;
}

interface Liquidation {
  readonly contract: string;
  readonly size: string | number;
  readonly time: number;
}

function subscribe(payload: readonly string[]): object {
  return { time: 1, channel: 'futures.public_liquidates', event: 'subscribe', payload };
}

describe('the socket', () => {
  it('answers pings, acknowledges a channel and refuses what it does not have', async () => {
    const socket = await rig.open('/v4/ws/usdt');
    socket.send({ time: 1, channel: 'futures.ping' });
    socket.send(subscribe(['!all']));
    socket.send(subscribe(['FOO_USDT']));
    await vi.waitUntil(() => socket.frames.length === 3, PATIENCE);
    expect(socket.frames.map((frame) => JSON.parse(frame) as unknown)).toMatchObject([
      { channel: 'futures.pong', event: '', result: null },
      { channel: 'futures.public_liquidates', event: 'subscribe', result: { status: 'success' } },
      { event: 'subscribe', error: { code: 2, message: 'unknown contract FOO_USDT' } },
    ]);
  });

  it('sends forced orders, at most twenty together, one alone without a list, in tenths as requested', async () => {
    const [fine, coarse] = (await Promise.all(
      [DECIMALS, {}].map((headers) => rig.open('/v4/ws/usdt', headers)),
    )) as [RecordedSocket, RecordedSocket];
    for (const socket of [fine, coarse]) socket.send(subscribe(['!all']));
    await vi.waitUntil(() => fine.frames.length + coarse.frames.length === 2, PATIENCE);
    for (let minute = 0; minute < 30; minute += 1) rig.clock.advance(60_000);
    const results = (socket: RecordedSocket): Frame['result'][] =>
      socket.frames.slice(1).map((frame) => (JSON.parse(frame) as Frame).result);
    const happened = rig.market.coins.flatMap((coin) => rig.market.liquidations(coin, T0, rig.clock.now()));
    await vi.waitUntil(
      () => [fine, coarse].every((socket) => results(socket).flat().length >= happened.length),
      PATIENCE,
    );
    expect(Math.max(...results(fine).map((result) => [result].flat().length))).toBeLessThanOrEqual(20);
    expect(new Set(results(fine).map(Array.isArray))).toEqual(new Set([true, false]));
    const sizes = (socket: RecordedSocket) =>
      results(socket).flatMap((result) => [result].flat().map(({ size }) => size));
    expect(sizes(fine).filter((size) => typeof size !== 'string')).toEqual([]);
    expect(sizes(coarse).filter((size) => !Number.isInteger(size))).toEqual([]);
  });
});

import { describe, expect, it, vi } from 'vitest';
import type { RecordedSocket } from '../../testing/recorded-socket.ts';
import { T0, VenueRig } from '../../testing/venue-rig.ts';

const TOP_TRADERS = 'rubik/stat/contracts/long-short-position-ratio-contract-top-trader';
const ARG = { channel: 'liquidation-orders', instType: 'SWAP' };
const rig = new VenueRig('okx');

type Row = Readonly<Record<string, string>>;

interface Answer {
  readonly code: string;
  readonly data: readonly Row[];
}

async function ask(call: string): Promise<Answer & { readonly status: number }> {
  const { status, body } = await rig.ask<Answer>(`/api/v5/${call}`);
  return { ...body, status };
}

describe('the calls', () => {
  it('list what trades, in two coins and inverse, what does not, and what is no crypto', async () => {
    const { data } = await ask('public/instruments?instType=SWAP');
    const byId = new Map(data.map((row) => [row['instId'], row]));
    expect(byId.get('BTC-USDT-SWAP')).toMatchObject({ ctVal: '0.01', ctType: 'linear', state: 'live' });
    expect(byId.get('BTC-USDC-SWAP')).toMatchObject({ settleCcy: 'USDC', ctValCcy: 'BTC' });
    expect(byId.get('BTC-USD-SWAP')).toMatchObject({ ctType: 'inverse', settleCcy: 'BTC', ctVal: '100' });
    expect(byId.get('PEPE-USDT-SWAP')).toMatchObject({ ctVal: '100000000', uly: 'PEPE-USDT' });
    expect(byId.get('MATIC-USDT-SWAP')).toMatchObject({ state: 'suspend' });
    expect(byId.get('TSLA-USDT-SWAP')).toMatchObject({ instCategory: '3' });
    expect(data.at(-1)).toEqual({ instId: 'CROSSTAPE-USDT-SWAP', instType: 'SWAP', state: 'preopen' });
  });

  it('return positions of top traders newest first, by periods in upper case', async () => {
    const { data } = await ask(`${TOP_TRADERS}?instId=BTC-USDT-SWAP&period=1H&limit=3`);
    const hourMs = Date.UTC(2026, 10, 16, 14);
    expect(data.map((row) => row[0])).toEqual([0, 1, 2].map((i) => String(hourMs - i * 3_600_000)));
    const long = rig.market.longFraction('BTC', 'top positions', hourMs);
    expect(Number(data[0]?.[1])).toBeCloseTo(long / (1 - long), 9);
    expect(await ask(`${TOP_TRADERS}?instId=BTC-USDT-SWAP&period=1h`)).toMatchObject({ code: '51000' });
  });

  it('return the ratio of all accounts between two times, of the newest 1,440 periods', async () => {
    const accounts = 'rubik/stat/contracts/long-short-account-ratio-contract?instId=BTC-USDT-SWAP&period=1H';
    const hourMs = Date.UTC(2026, 10, 16, 14);
    const at = (hours: number): number => hourMs - hours * 3_600_000;
    const { data } = await ask(`${accounts}&begin=${at(3) - 1}&end=${at(1) + 60_000}`);
    expect(data.map((row) => row[0])).toEqual([1, 2, 3].map((hours) => String(at(hours))));
    const long = rig.market.longFraction('BTC', 'all accounts', at(1));
    expect(Number(data[0]?.[1])).toBeCloseTo(long / (1 - long), 9);
    const oldest = await ask(`${accounts}&begin=${at(2000)}&end=${at(1400)}`);
    expect(oldest.data).toHaveLength(40);
    for (const wrong of ['limit=101', 'begin=x', 'end=1.5'])
      expect(await ask(`${accounts}&${wrong}`)).toMatchObject({ status: 400, code: '51000' });
  });

  it('complain in the words of the venue', async () => {
    expect(await ask('public/funding-rate?instId=FOO-USDT-SWAP')).toMatchObject({
      status: 200,
      code: '51001',
    });
    expect(await ask(`${TOP_TRADERS}?instId=FOO-USDT-SWAP`)).toMatchObject({ status: 200, code: '51001' });
    expect(await ask('public/mark-price')).toMatchObject({ status: 400, code: '50014' });
    expect(await ask('public/mark-price?instType=PERP')).toMatchObject({ status: 400, code: '51000' });
    expect(await ask('public/nothing')).toMatchObject({ status: 404 });
    expect(await ask('public/liquidation-orders?instType=SWAP')).toMatchObject({ code: '50015' });
  });
});

interface Push {
  readonly data?: readonly { readonly instId: string; readonly details: readonly Row[] }[];
}

describe('the socket', () => {
  const frames = (socket: RecordedSocket): Push[] =>
    socket.frames.filter((frame) => frame.startsWith('{')).map((frame) => JSON.parse(frame));

  it('confirms, back-fills, and then sends forced orders with the side of the position', async () => {
    const socket = await rig.open('/ws/v5/public');
    socket.send({ op: 'subscribe', args: [ARG] });
    await vi.waitUntil(() => socket.frames.length >= 2);
    const [ack, past] = frames(socket);
    expect(ack).toMatchObject({
      event: 'subscribe',
      arg: ARG,
      connId: expect.stringMatching(/^[\da-f]{8}$/),
    });
    for (const { details } of past?.data ?? []) expect(Number(details[0]?.['ts'])).toBeLessThan(T0);
    const isLive = (frame: Push): boolean => Number(frame.data?.[0]?.details[0]?.['ts']) >= T0;
    for (let i = 0; !frames(socket).some(isLive); i += 1) {
      if (i % 20 === 0) socket.send('ping');
      await vi.waitUntil(() => socket.frames.filter((frame) => frame === 'pong').length > i / 20);
      rig.clock.advance(1000);
    }
    const details = frames(socket).flatMap(({ data = [] }) => data.flatMap((row) => row.details));
    for (const { side, posSide } of details) expect(posSide).toBe(side === 'sell' ? 'long' : 'short');
    socket.close();
  });

  it('refuses unknown requests, and drops clients that are silent for thirty seconds', async () => {
    const socket = await rig.open('/ws/v5/public');
    socket.send({ op: 'subscribe', args: [{ channel: 'liquidations', instType: 'SWAP' }] });
    socket.send('{"op":');
    await vi.waitUntil(() => socket.frames.length >= 2);
    expect(frames(socket)).toMatchObject([
      { event: 'error', code: '60018' },
      { event: 'error', code: '60012' },
    ]);
    rig.clock.advance(32_000);
    await vi.waitUntil(() => socket.end !== undefined);
  });
});

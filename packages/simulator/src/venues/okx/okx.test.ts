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

async function rowOf(call: string, instId: string): Promise<Row> {
  const { data } = await ask(call);
  const row = data.find((one) => one['instId'] === instId);
  if (!row) throw new Error(`${call} has no row of ${instId}`);
  return row;
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

  it('count open interest in contracts, coins and dollars that agree', async () => {
    const call = 'public/open-interest?instType=SWAP';
    const pepe = await rowOf(call, 'PEPE-USDT-SWAP');
    const coins = 1000 * rig.market.openInterest('kPEPE', T0);
    expect(Number(pepe['oi']) * 1e8).toBeCloseTo(Number(pepe['oiCcy']), 2);
    expect(Number(pepe['oiCcy']) / coins).toBeCloseTo(1, 3);
    expect(Number(pepe['oiUsd']) / (coins * (rig.market.quote('kPEPE', T0).mark / 1000))).toBeCloseTo(1, 3);
    const [usdt, usdc] = [await rowOf(call, 'BTC-USDT-SWAP'), await rowOf(call, 'BTC-USDC-SWAP')];
    const both = Number(usdt['oiCcy']) + Number(usdc['oiCcy']);
    expect(both / rig.market.openInterest('BTC', T0)).toBeCloseTo(1, 3);
  });

  it('return the rate of the period in progress, and when it and the one after it are paid', async () => {
    for (const [coin, instId] of [
      ['BTC', 'BTC-USDT-SWAP'],
      ['kPEPE', 'PEPE-USDT-SWAP'],
    ] as const) {
      const { rate, periodHours, nextFundingMs } = rig.market.funding(coin, T0);
      const row = await rowOf('public/funding-rate?instId=ANY', instId);
      expect(Number(row['fundingRate'])).toBeCloseTo(rate, 9);
      expect(row).toMatchObject({
        fundingTime: String(nextFundingMs),
        nextFundingTime: String(nextFundingMs + periodHours * 3_600_000),
        nextFundingRate: '',
      });
    }
  });

  it('return positions of top traders newest first, by periods in upper case', async () => {
    const { data } = await ask(`${TOP_TRADERS}?instId=BTC-USDT-SWAP&period=1H&limit=3`);
    const hourMs = Date.UTC(2026, 10, 16, 14);
    expect(data.map((row) => row[0])).toEqual([0, 1, 2].map((i) => String(hourMs - i * 3_600_000)));
    const long = rig.market.longFraction('BTC', 'top positions', hourMs);
    expect(Number(data[0]?.[1])).toBeCloseTo(long / (1 - long), 9);
    expect(await ask(`${TOP_TRADERS}?instId=BTC-USDT-SWAP&period=1h`)).toMatchObject({ code: '51000' });
  });

  it('have every forced order of a family that is older than 69 minutes, newest first, page by page', async () => {
    const reported: Row[] = [];
    let after = '';
    for (;;) {
      const call = `public/liquidation-orders?instType=SWAP&state=filled&limit=20&instFamily=PEPE-USDT${after}`;
      const { data } = await ask(call);
      const details = (data[0]?.['details'] ?? []) as unknown as readonly Row[];
      reported.push(...details);
      if (details.length < 20) break;
      after = `&after=${details.at(-1)?.['ts']}`;
    }
    const coin = rig.market.coins.find(({ name }) => name === 'kPEPE');
    const expected = coin
      ? rig.market.liquidations(coin, T0 - 86_400_000, T0 - 69 * 60_000).toReversed()
      : [];
    expect(expected.length).toBeGreaterThan(20);
    expect(reported.map((row) => [row['side'], row['ts']])).toEqual(
      expected.map(({ side, ts }) => [side, String(Math.floor(ts))]),
    );
    expect(await ask('public/liquidation-orders?instType=SWAP')).toMatchObject({ code: '50015' });
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
  });

  it('are limited each by itself, statistics by swap', async () => {
    const codes: string[] = [];
    for (let i = 0; i < 11; i += 1) codes.push((await ask('public/mark-price?instType=SWAP')).code);
    expect(codes).toEqual([...Array<string>(10).fill('0'), '50011']);
    expect(await ask('public/open-interest?instType=SWAP')).toMatchObject({ code: '0' });
    for (let i = 0; i < 5; i += 1) await ask(`${TOP_TRADERS}?instId=BTC-USDT-SWAP`);
    expect(await ask(`${TOP_TRADERS}?instId=BTC-USDT-SWAP`)).toMatchObject({ status: 429, code: '50011' });
    expect(await ask(`${TOP_TRADERS}?instId=ETH-USDT-SWAP`)).toMatchObject({ code: '0' });
    expect(Object.values(rig.violations ?? {})).toEqual([1, 1]);
    rig.clock.advance(2000);
    expect(await ask('public/mark-price?instType=SWAP')).toMatchObject({ code: '0' });
  });
});

interface Push {
  readonly data?: readonly { readonly instId: string; readonly details: readonly Row[] }[];
}

describe('the socket', () => {
  const frames = (socket: RecordedSocket): Push[] =>
    socket.frames.filter((frame) => frame.startsWith('{')).map((frame) => JSON.parse(frame));

  it('confirms, back-fills, and then sends at most one forced order per swap and second', async () => {
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
    for (let i = 0; i < 120; i += 1) {
      if (i % 20 === 0) socket.send('ping');
      await vi.waitUntil(() => socket.frames.filter((frame) => frame === 'pong').length > i / 20);
      rig.clock.advance(1000);
    }
    const expected = rig.market.coins.flatMap((coin) => rig.market.liquidations(coin, T0, T0 + 120_000));
    const seconds = new Set(expected.map(({ coin, ts }) => `${coin} ${Math.floor(ts / 1000)}`));
    const reported = (): Row[] =>
      frames(socket)
        .slice(2)
        .flatMap(({ data = [] }) => data.flatMap(({ details }) => details));
    await vi.waitUntil(() => reported().length >= seconds.size);
    expect(reported()).toHaveLength(seconds.size);
    expect(seconds.size).toBeGreaterThan(2);
    for (const { side, posSide } of reported()) expect(posSide).toBe(side === 'sell' ? 'long' : 'short');
    socket.close();
  });

  it('refuses what it does not know, and drops who is silent for thirty seconds', async () => {
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

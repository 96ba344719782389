import { describe, expect, it, vi } from 'vitest';
import { T0, VenueRig } from '../../testing/venue-rig.ts';

/** Shorter than the silence after which a client is cut off. */
const WATCH_MS = 540_000;
const rig = new VenueRig('bybit', 3);

interface Answer {
  readonly retCode: number;
  readonly retMsg: string;
  readonly result: {
    readonly list: readonly Readonly<Record<string, unknown>>[];
    readonly nextPageCursor: string | null;
  };
}

async function ask(path: string): Promise<Answer> {
  const { status, body } = await rig.ask<Answer>(`/v5/market/${path}`);
  expect(status).toBe(200);
  return body;
}

describe('the list of contracts', () => {
  it('comes in pages, each with the cursor of the next, and nothing is repeated or left out', async () => {
    const whole = (await ask('instruments-info?category=linear&limit=1000')).result;
    expect(whole.nextPageCursor).toBeNull();
    const pages: Readonly<Record<string, unknown>>[] = [];
    let cursor: string | null = '';
    do {
      const { list, nextPageCursor }: Answer['result'] = (
        await ask(`instruments-info?category=linear&limit=10&cursor=${cursor}`)
      ).result;
      expect(list.length).toBeGreaterThan(0);
      pages.push(...list);
      cursor = nextPageCursor;
    } while (cursor !== null);
    expect(pages).toEqual(whole.list);
    expect(pages.length).toBeGreaterThan(40);
  });

  it('lists contracts that are not crypto perpetuals, and unopened ones on request', async () => {
    const { list } = (await ask('instruments-info?category=linear&limit=1000')).result;
    const named = (symbol: string): unknown => list.find((row) => row.symbol === symbol);
    expect(named('1000PEPEUSDT')).toMatchObject({ baseCoin: '1000PEPE', symbolType: '' });
    expect(named('BTCPERP')).toMatchObject({ baseCoin: 'BTC', settleCoin: 'USDC' });
    expect(named('BTC-25JUN27')).toMatchObject({
      contractType: 'LinearFutures',
      deliveryTime: '1813910400000',
    });
    expect(named('TSLAUSDT')).toMatchObject({ symbolType: 'stock' });
    expect(named('XYZ100USDT')).toMatchObject({ symbolType: 'ETF' });
    expect(named('1000NEIROCTOUSDT')).toMatchObject({ baseCoin: '1000NEIROCTO' });
    expect(list.every((row) => row.status === 'Trading')).toBe(true);
    const early = (await ask('instruments-info?category=linear&status=PreLaunch')).result.list;
    expect(early).toMatchObject([{ status: 'PreLaunch', isPreListing: true }]);
  });
});

describe('the ratio of accounts', () => {
  const ratios = (search: string): Promise<Answer> => ask(`account-ratio?category=linear&${search}`);
  const btc = 'symbol=BTCUSDT&period=1h';
  const hourMs = Math.floor(T0 / 3_600_000) * 3_600_000;

  it('is that of the requested hours, newest first, and continues with a cursor', async () => {
    const span = `${btc}&startTime=${hourMs - 4 * 3_600_000}&endTime=${hourMs}`;
    const whole = (await ratios(span)).result.list;
    expect(whole.map(({ timestamp }) => (hourMs - Number(timestamp)) / 3_600_000)).toEqual([0, 1, 2, 3, 4]);
    for (const { buyRatio, sellRatio } of whole) expect(Number(buyRatio) + Number(sellRatio)).toBeCloseTo(1);
    const { list, nextPageCursor } = (await ratios(`${span}&limit=2`)).result;
    expect(nextPageCursor).toBe(`lastid%3D0%26lasttime%3D${hourMs / 1000 - 3600}`);
    for (const cursor of [nextPageCursor, encodeURIComponent(`${nextPageCursor}`)])
      expect([...list, ...(await ratios(`${span}&cursor=${cursor}`)).result.list]).toEqual(whole);
    expect((await ratios(btc)).result.list).toHaveLength(50);
  });

  it('is none of contracts in USDC, and refuses what the venue does not know', async () => {
    expect((await ratios('symbol=BTCPERP&period=1h')).result).toEqual({ list: [], nextPageCursor: '' });
    for (const search of [
      'symbol=BTCUSDT&period=60',
      `${btc}&limit=501`,
      `${btc}&cursor=x`,
      `${btc}&startTime=1`,
      'symbol=NOPEUSDT&period=1h',
    ])
      expect((await ratios(search)).retCode).toBe(10_001);
  });
});

describe('the socket', () => {
  it('pushes liquidations every half second, with the side of the position', async () => {
    const watched = rig.market.coins.filter(({ name }) => !name.startsWith('k')).slice(0, 5);
    const expected = watched.flatMap((coin) =>
      rig.market
        .liquidations(coin, T0, T0 + WATCH_MS)
        .map(({ ts, side }) => [ts, side === 'sell' ? 'Buy' : 'Sell', `${coin.name}USDT`]),
    );
    expect(expected.length).toBeGreaterThan(2);
    const socket = await rig.open('/v5/public/linear');
    const args = watched.map(({ name }) => `allLiquidation.${name}USDT`);
    socket.send({ op: 'subscribe', args, req_id: 'x' });
    await vi.waitUntil(() => socket.frames.length === 1);
    expect(JSON.parse(socket.frames[0] ?? '')).toMatchObject({ success: true, op: 'subscribe', req_id: 'x' });
    rig.clock.advance(WATCH_MS);
    const rows = (): readonly { T: number; S: string; s: string }[] =>
      socket.frames.slice(1).flatMap((frame) => JSON.parse(frame).data);
    await vi.waitUntil(() => rows().length >= expected.length);
    expect(rows()).toHaveLength(expected.length);
    expect(rows().map(({ T, S, s }) => [T, S, s])).toEqual(expect.arrayContaining(expected));
    for (const frame of socket.frames.slice(1)) {
      const { ts, data } = JSON.parse(frame);
      for (const { T } of data) expect(ts - T).toBeLessThanOrEqual(500);
    }
  });

  it('answers a ping, and refuses an unknown topic, a repeated one, an unknown request and garbage', async () => {
    const socket = await rig.open('/v5/public/linear');
    const topic = { op: 'subscribe', args: ['allLiquidation.ETHUSDT'] };
    const nope = { op: 'subscribe', args: ['allLiquidation.NOPE'] };
    for (const frame of [{ op: 'ping' }, nope, topic, topic, { op: 'dance' }, '{']) socket.send(frame);
    await vi.waitUntil(() => socket.frames.length === 6);
    const reported = socket.frames.map((frame) => JSON.parse(frame) as { success: boolean; ret_msg: string });
    expect(reported.map(({ success, ret_msg: message }) => [success, message])).toEqual([
      [true, 'pong'],
      [false, 'error:handler not found,topic:allLiquidation.NOPE'],
      [true, ''],
      [false, 'error:already subscribed,topic:allLiquidation.ETHUSDT'],
      [false, 'error:invalid op'],
      [false, 'error:invalid op'],
    ]);
  });
});

describe('a refusal', () => {
  it('comes with HTTP 200 and a code', async () => {
    const { retCode, retMsg } = await ask('tickers?category=linear&symbol=NOPEUSDT');
    expect([retCode, retMsg]).toEqual([10_001, 'Not supported symbols']);
    expect((await ask('tickers')).retCode).toBe(10_001);
    expect((await ask('instruments-info?category=linear&limit=1001')).retCode).toBe(10_001);
  });

  it('of 600 requests in five seconds comes as 403', async () => {
    const symbol = 'tickers?category=linear&symbol=BTCUSDT';
    for (let second = 0; second < 3; second += 1) {
      for (let i = 0; i < 200; i += 1) expect((await ask(symbol)).retCode).toBe(0);
      rig.clock.advance(1000);
    }
    const refused = await fetch(`${rig.simulator.url}/bybit/v5/market/${symbol}`);
    expect([refused.status, await refused.text()]).toEqual([403, 'access too frequent']);
    expect(rig.violations).toEqual({ requests: 1 });
  });
});

import { type AnswerOf, Client, type TickPage, type Trade } from '@crosstape/client';
import { columnsOf } from '@crosstape/client/bars';
import { ManualClock } from '@crosstape/core';
import { expect, it } from 'vitest';
import { RecordedWindows } from './recorded-windows.ts';
import { ReplayClient } from './replay-client.ts';
import { ReplayClock } from './replay-clock.ts';

const MINUTE_MS = 60_000;
const PRESENT_MS = 1_790_000_000_000 - (1_790_000_000_000 % 3_600_000);
const MINUTE_TS = PRESENT_MS - 30 * MINUTE_MS;
const NOW_MS = MINUTE_TS + 20_000;
const REFERENCE = 'hyperliquid:BTC';
const OTHER = 'okx:BTC-USDT-SWAP';
const LATER = 'bybit:BTCUSDT';

const trade = (afterMs: number, price: number, size: number, side: 'buy' | 'sell'): Trade => ({
  ts: MINUTE_TS + afterMs,
  price,
  size,
  side,
});

interface Recorded {
  readonly trades: readonly Trade[];
  readonly gaps?: TickPage['gaps'];
}

/** A service with one closed candle, and the trades of some markets. */
function replayOf(record: Readonly<Record<string, Recorded>>) {
  const closed = { ts: MINUTE_TS - MINUTE_MS, close: 99, high: 99.5, low: 98, open: 98.5, volume: 5 };
  const members = [REFERENCE, OTHER].map((market) => ({ market, since: 0 }));
  const meta = {
    market: 'perp:BTC',
    reference: REFERENCE,
    members: [...members, { market: LATER, since: NOW_MS + 1 }],
  };
  const fetch = (): Promise<Response> => Promise.resolve(Response.json({ data: [closed], meta }));
  class Service extends Client {
    override async *ticks(
      ...[coin, { start = 0, end = Infinity, market = `hyperliquid:${coin}` } = {}]: Parameters<
        Client['ticks']
      >
    ): AsyncGenerator<TickPage, void> {
      await Promise.resolve();
      const found = record[market];
      if (!found) throw new Error('not recorded');
      const within = found.trades.filter(({ ts }) => ts >= start && ts < end);
      yield { ticks: columnsOf(within), gaps: found.gaps ?? [] };
    }
  }
  const options = { url: 'http://service', fetch, retries: 0 };
  const clock = new ReplayClock(new ManualClock(PRESENT_MS), { startMs: NOW_MS, speed: 1 });
  const client = new ReplayClient(options, clock, new RecordedWindows(new Service(options), clock));
  return async (): Promise<AnswerOf<'/candles'>['data'][number] | undefined> => {
    const { data } = await client.get('/candles', { market: 'perp:BTC', interval: '1m', limit: 2 });
    return data.find(({ ts }) => ts === MINUTE_TS);
  };
}

const own = [
  trade(-1, 50, 9, 'buy'),
  trade(0, 100, 1, 'buy'),
  trade(5_000, 103, 0.2, 'sell'),
  trade(20_000, 101, 0.3, 'buy'),
  // Later than the replay.
  trade(20_001, 500, 7, 'buy'),
];
const other = [trade(10_000, 104, 2, 'sell'), trade(30_000, 1, 8, 'buy')];

it('has the minute in progress: prices of the reference, volumes of all, nothing of later', async () => {
  const minute = replayOf({
    [REFERENCE]: { trades: own },
    [OTHER]: { trades: other },
    [LATER]: { trades: own },
  });
  expect(await minute()).toEqual({
    ts: MINUTE_TS,
    open: 100,
    high: 103,
    low: 100,
    close: 101,
    volume: 3.5,
    buyVolume: 1.3,
    notionalUsd: 353.5,
    trades: 4,
    buyTrades: 2,
    liqLongUsd: 0,
    liqShortUsd: 0,
    complete: true,
    origin: 'tape',
    byMarket: { [REFERENCE]: [1.3, 0.2], [OTHER]: [0, 2] },
  });
});

it('stays at the last price while only others trade, and reports a gap', async () => {
  const gap = {
    from: MINUTE_TS + 1_000,
    to: MINUTE_TS + 2_000,
    state: 'missing',
  } as TickPage['gaps'][number];
  const minute = replayOf({ [REFERENCE]: { trades: [], gaps: [gap] }, [OTHER]: { trades: other } });
  expect(await minute()).toMatchObject({
    open: 99,
    high: 99,
    low: 99,
    close: 99,
    volume: 2,
    complete: false,
  });
  const before = { ...gap, from: MINUTE_TS - 9_000, to: MINUTE_TS };
  const refilled = { ...gap, state: 'refilled' } as TickPage['gaps'][number];
  for (const harmless of [before, refilled])
    expect(
      await replayOf({ [REFERENCE]: { trades: own, gaps: [harmless] }, [OTHER]: { trades: [] } })(),
    ).toMatchObject({ volume: 1.5, complete: true });
});

it('is left out where nothing was traded, or where a market cannot be read', async () => {
  expect(await replayOf({ [REFERENCE]: { trades: [] }, [OTHER]: { trades: [] } })()).toBeUndefined();
  expect(await replayOf({ [REFERENCE]: { trades: own } })()).toBeUndefined();
});

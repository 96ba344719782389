import { type Candle, seededRandom } from '@crosstape/core';
import { publishSampleMarket } from '../packages/server/src/api/testing/sample-market.ts';
import { START_MS, startTestApi } from '../packages/server/src/api/testing/test-api.ts';
import { CandleTable, minuteLevel } from '../packages/server/src/features/candles/candle-table.ts';
import { MarketTable } from '../packages/server/src/features/market-tape/market-table.ts';
import { candlesTopic, snapshotTopic } from '../packages/server/src/topics.ts';
import { reportUsage } from './http-usage.mjs';

/** The whole interface over a ledger with a week of busy minutes for each of many markets. */
const COINS = 50;
const MARKETS = 280;
const HOURS = 170;
const HOUR_MS = minuteLevel.blockMs;
const MINUTE_MS = minuteLevel.intervalMs;

const random = seededRandom(7);
const below = (max: number): number => Math.floor(random() * max);
const api = await startTestApi({ hasTape: true, settings: { quota: 'report', trustProxy: false } });
publishSampleMarket(api);
const coins = ['BTC', ...Array.from({ length: COINS - 1 }, (_, i) => `C${i}`)];
api.bus.publish(snapshotTopic('hyperliquid', 'instruments'), {
  venue: 'hyperliquid',
  fetchedAtMs: START_MS,
  everyMs: HOUR_MS,
  rows: coins.map((coin) => ({ coin, symbol: coin, sizeDecimals: 5 })),
});
// As many as are recorded by default: 20 coins of 14 venues.
await new MarketTable(api.tape.store).put(
  Array.from({ length: MARKETS }, (_, i) => ({
    id: `binance:M${i}USDT`,
    venue: 'binance',
    kind: 'perp' as const,
    symbol: `M${i}USDT`,
    coin: `M${i}`,
    quote: 'USDT' as const,
    contractSize: 1,
    scale: 1,
    publisher: 'binance',
    isCounted: true,
    grouping: 'time' as const,
  })),
  START_MS,
);
api.bus.publish(candlesTopic, { isCaughtUp: true });

const table = new CandleTable(api.tape.store);
const end = Math.floor(START_MS / HOUR_MS) * HOUR_MS;
const first = end - HOURS * HOUR_MS;
for (const coin of coins) {
  let price = 1_000_000;
  const changes = Array.from({ length: HOURS }, (_, hour) => {
    const startTs = first + hour * HOUR_MS;
    const candles = Array.from({ length: 60 }, (_minute, minute) => {
      const open = price;
      price += below(400) - 200;
      return candle(startTs + minute * MINUTE_MS, open, price);
    });
    return table.putting(minuteLevel, `hyperliquid:${coin}`, { startTs, toTs: startTs + HOUR_MS, candles });
  });
  const state = table.puttingState(`hyperliquid:${coin}`, { tapeFrom: first, settledTo: end });
  await api.tape.store.commit([...changes, state]);
}
reportUsage(api.port, { startMs: first, endMs: end });

function candle(ts: number, open: number, close: number): Candle {
  const volume = 100_000 + below(9_000_000);
  return {
    ts,
    priceDecimals: 1,
    sizeDecimals: 5,
    open,
    high: Math.max(open, close) + below(50),
    low: Math.min(open, close) - below(50),
    close,
    volume,
    buyVolume: below(volume),
    notional: volume * close + below(9_999_999),
    trades: 1 + below(900),
    buyTrades: below(400),
    liqLong: below(20) === 0 ? below(1_000_000_000) : 0,
    liqShort: 0,
    origin: 'tape',
  };
}

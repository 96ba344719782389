import { type Candle, seededRandom } from '@crosstape/core';
import { publishSampleMarket } from '../packages/server/src/api/testing/sample-market.ts';
import { START_MS, startTestApi } from '../packages/server/src/api/testing/test-api.ts';
import { CandleTable, minuteLevel } from '../packages/server/src/features/candles/candle-table.ts';
import { MarketTable } from '../packages/server/src/features/market-tape/market-table.ts';
import { candlesTopic, snapshotTopic } from '../packages/server/src/topics.ts';
import { marketPrefixOf, primaryVenue, spotVenues, venues } from '../packages/venues/src/index.ts';
import { reportUsage } from './http-usage.mjs';

/** The whole interface over a ledger with a week of busy minutes for each of many markets. */
const COINS = 50;
const MARKETS = 280;
const HOURS = 170;
/** Coins that are recorded on every venue. */
const AGGREGATED = ['A0', 'A1', 'A2'];
const PERPS = venues.filter(({ id }) => id !== primaryVenue.id).map(marketPrefixOf);
const SPOTS = spotVenues.map(marketPrefixOf);
const HOUR_MS = minuteLevel.blockMs;
const MINUTE_MS = minuteLevel.intervalMs;

const random = seededRandom(7);
const below = (max: number): number => Math.floor(random() * max);
const api = await startTestApi({ hasTape: true, settings: { quota: 'report', trustProxy: false } });
publishSampleMarket(api);
const coins = ['BTC', ...Array.from({ length: COINS - 1 }, (_, i) => `C${i}`), ...AGGREGATED];
api.bus.publish(snapshotTopic('hyperliquid', 'instruments'), {
  venue: 'hyperliquid',
  fetchedAtMs: START_MS,
  everyMs: HOUR_MS,
  rows: coins.map((coin) => ({ coin, symbol: coin, sizeDecimals: 5 })),
});
const stored = (venue: string, kind: 'perp' | 'spot', coin: string) => ({
  id: `${venue}:${coin}USDT`,
  venue: venue.replace('-spot', ''),
  kind,
  symbol: `${coin}USDT`,
  coin,
  quote: 'USDT' as const,
  contractSize: 1,
  scale: 1,
  publisher: venue.replace('-spot', ''),
  isCounted: true,
  grouping: 'time' as const,
});
// As many as are recorded by default.
const others = Array.from({ length: MARKETS }, (_, i) => stored('binance', 'perp', `M${i}`));
const members = (['perp', 'spot'] as const).flatMap((kind) => {
  const prefixes = kind === 'perp' ? PERPS : SPOTS;
  return prefixes.flatMap((venue) => AGGREGATED.map((coin) => stored(venue, kind, coin)));
});
const end = Math.floor(START_MS / HOUR_MS) * HOUR_MS;
const first = end - HOURS * HOUR_MS;
await new MarketTable(api.tape.store).put([...others, ...members], first);
api.bus.publish(candlesTopic, { isCaughtUp: true });

const table = new CandleTable(api.tape.store);
/** Venues count sizes in different units. */
const sizeDecimalsOf = (id: string): number =>
  AGGREGATED.some((coin) => id.includes(`:${coin}`)) ? 2 + (id.length % 7) : 5;
for (const id of [...coins.map((coin) => `hyperliquid:${coin}`), ...members.map((member) => member.id)]) {
  let price = 1_000_000;
  const sizeDecimals = sizeDecimalsOf(id);
  const changes = Array.from({ length: HOURS }, (_, hour) => {
    const startTs = first + hour * HOUR_MS;
    const candles = Array.from({ length: 60 }, (_minute, minute) => {
      const open = price;
      price += below(400) - 200;
      return candle(startTs + minute * MINUTE_MS, open, price, sizeDecimals);
    });
    return table.putting(minuteLevel, id, { startTs, toTs: startTs + HOUR_MS, candles });
  });
  const state = table.puttingState(id, { tapeFrom: first, settledTo: end });
  await api.tape.store.commit([...changes, state]);
  await table.join(minuteLevel, id, end);
}
reportUsage(api.port, { startMs: first, endMs: end });

function candle(ts: number, open: number, close: number, sizeDecimals: number): Candle {
  const volume = 100_000 + below(9_000_000);
  return {
    ts,
    priceDecimals: 1,
    sizeDecimals,
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

import type { DayOpen, SpotTicker } from '@crosstape/core';
import { rowAtMs, type Snapshot } from '../topics.ts';
import { asOfMs, midOrLast, SPOT_STALE_MS, type UsdRate, usdRate, type VenueSpot } from './usdt-rate.ts';

/** Of several pairs of a coin the first of these is taken. */
const QUOTES = ['USD', 'USDT', 'USDC'] as const;
/** An older price of a day ago is one of more than a day ago. */
const OPEN_AGE_MAX_MS = 30 * 60_000;
/** What comes after so many figures of a product is noise. */
const FIGURES = 12;
const PERCENT_FIGURES = 6;

/** The price of a coin on one venue in dollars. */
export interface SpotPrice {
  readonly coin: string;
  /** Plain id of the venue. */
  readonly venue: string;
  readonly symbol: string;
  readonly quote: string;
  /** Of the last trade as quoted. */
  readonly rawPrice: number;
  /** Of the last trade. */
  readonly lastUsd: number;
  readonly bidUsd?: number;
  readonly askUsd?: number;
  /** The middle of bid and ask when both are there, else the last trade. */
  readonly priceUsd: number;
  readonly volume24hCoins: number;
  /** As quoted; absent where it is not known. */
  readonly change24hPct?: number;
  readonly fetchedAtMs: number;
  /** The older of the venue's time and the time of receipt; not newer than the rate it was converted with. */
  readonly asOfMs: number;
  readonly isStale: boolean;
}

/** A pair that is there, but whose currency has no known worth in dollars. */
export interface UnpricedPair {
  readonly venue: string;
  readonly coin: string;
  readonly quote: string;
}

export interface SpotPrices {
  /** By coin in the order asked for, then by venue. */
  readonly prices: readonly SpotPrice[];
  readonly unpriced: readonly UnpricedPair[];
}

/** What coins cost in dollars on each venue that lists them: USDT is not USD, and is converted. */
export function spotPrices(coins: readonly string[], spots: readonly VenueSpot[], nowMs: number): SpotPrices {
  const rates = new Map<string, UsdRate>([
    ['USD', { rate: 1, asOfMs: Infinity, isStale: false, venues: [] }],
  ]);
  for (const currency of ['USDT', 'USDC']) {
    const rate = usdRate(currency, spots, nowMs);
    if (rate) rates.set(currency, rate);
  }
  const prices: SpotPrice[] = [];
  const unpriced: UnpricedPair[] = [];
  const pairsOf = spots.map((spot) => ({ spot, pairs: pairByCoin(spot.tickers.rows, new Set(coins)) }));
  for (const coin of coins) {
    for (const { spot, pairs } of pairsOf) {
      const pair = pairs.get(coin);
      if (!pair) continue;
      const rate = rates.get(pair.quote);
      if (rate) prices.push(priced(pair, spot, rate, nowMs));
      else unpriced.push({ venue: spot.venue, coin, quote: pair.quote });
    }
  }
  return { prices, unpriced };
}

/** What a pair is known by, as it is listed or priced. */
interface Pair {
  readonly coin: string;
  readonly quote?: string;
}

/** Of each coin the pair that counts. */
export function pairByCoin<Row extends Pair>(
  rows: readonly Row[],
  coins: ReadonlySet<string>,
): ReadonlyMap<string, Row> {
  const pairs = new Map<string, Row>();
  for (const row of rows) {
    if (!coins.has(row.coin)) continue;
    const rank = rankOf(row);
    const known = pairs.get(row.coin);
    if (rank >= 0 && (!known || rank < rankOf(known))) pairs.set(row.coin, row);
  }
  return pairs;
}

function rankOf({ quote = '' }: Pair): number {
  return (QUOTES as readonly string[]).indexOf(quote);
}

function priced(
  row: SpotTicker,
  { venue, tickers, opens }: VenueSpot,
  rate: UsdRate,
  nowMs: number,
): SpotPrice {
  const { coin, symbol, quote, last, bid, ask, volume24hCoins } = row;
  const usd = (price: number): number => inFigures(price * rate.rate, FIGURES);
  const change = row.change24hPct ?? changeSince(row, opens, nowMs);
  const fetchedAtMs = rowAtMs(tickers, tickers.rows.indexOf(row));
  const ofMs = Math.min(asOfMs(row, fetchedAtMs), rate.asOfMs);
  return {
    coin,
    venue,
    symbol,
    quote,
    rawPrice: last,
    lastUsd: usd(last),
    ...(bid === undefined ? {} : { bidUsd: usd(bid) }),
    ...(ask === undefined ? {} : { askUsd: usd(ask) }),
    priceUsd: usd(midOrLast(row)),
    volume24hCoins,
    ...(change === undefined ? {} : { change24hPct: change }),
    fetchedAtMs,
    asOfMs: ofMs,
    isStale: nowMs - ofMs > SPOT_STALE_MS,
  };
}

function changeSince(
  { symbol, last }: SpotTicker,
  opens: Snapshot<DayOpen> | undefined,
  nowMs: number,
): number | undefined {
  if (!opens || nowMs - opens.fetchedAtMs > OPEN_AGE_MAX_MS) return undefined;
  const row = opens.rows.find((one) => one.symbol === symbol);
  return row && inFigures((last / row.open - 1) * 100, PERCENT_FIGURES);
}

function inFigures(value: number, figures: number): number {
  return Number(value.toPrecision(figures));
}

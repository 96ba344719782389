import type { DayOpen, SpotTicker } from '@crosstape/core';
import type { Snapshot, UsdRate } from '../../topics.ts';
import { chosenRow } from '../rates/pair-rows.ts';
import { midOrLast, pairPrices, SPOT_STALE_MS, usdRate, type VenueSpot } from '../rates/usdt-rate.ts';

/** An older price of a day ago is one of more than a day ago. */
const OPEN_AGE_MAX_MS = 30 * 60_000;
/** Digits beyond this many figures of a product are noise. */
const FIGURES = 12;
const PERCENT_FIGURES = 6;

/** The price of a coin on one venue in dollars. */
export interface SpotPrice {
  readonly coin: string;
  /** Plain id of the venue. */
  readonly venue: string;
  readonly symbol: string;
  readonly quote: string;
  /** Price of the last trade as quoted. */
  readonly rawPrice: number;
  /** Price of the last trade. */
  readonly lastUsd: number;
  readonly bidUsd?: number;
  readonly askUsd?: number;
  /** The mid of bid and ask if both exist, else the last trade. */
  readonly priceUsd: number;
  readonly volume24hCoins?: number;
  /** As quoted; absent if unknown. */
  readonly change24hPct?: number;
  /** When bid and ask were received. */
  readonly receivedAtMs: number;
  /** The older of the venue's time and the time of receipt; not newer than the rate it was converted with. */
  readonly asOfMs: number;
  readonly isStale: boolean;
}

/** A pair whose currency has no known rate. */
export interface UnpricedPair {
  readonly venue: string;
  readonly coin: string;
  readonly quote: string;
}

export interface SpotPrices {
  /** By coin in the requested order, then by venue. */
  readonly prices: readonly SpotPrice[];
  readonly unpriced: readonly UnpricedPair[];
}

/** Prices of coins in dollars on each venue that lists them: USDT is not USD, and is converted. */
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
  for (const coin of coins) {
    for (const spot of spots) {
      const row = chosenRow(spot.tickers.rows, coin);
      const pair = spot.tickers.rows[row];
      if (!pair) continue;
      const rate = rates.get(pair.quote);
      const price = rate && priced(pair, spot, row, rate, nowMs);
      if (price) prices.push(price);
      else if (!rate) unpriced.push({ venue: spot.venue, coin, quote: pair.quote });
    }
  }
  return { prices, unpriced };
}

function priced(
  row: SpotTicker,
  spot: VenueSpot,
  i: number,
  rate: UsdRate,
  nowMs: number,
): SpotPrice | undefined {
  const { venue, opens } = spot;
  const { coin, symbol, quote, volume24hCoins } = row;
  const found = pairPrices(spot, i);
  if (!found) return undefined;
  const { last, bid, ask, receivedAtMs } = found;
  const usd = (price: number): number => inFigures(price * rate.rate, FIGURES);
  const change = row.change24hPct ?? changeSince(row, opens, nowMs);
  const ofMs = Math.min(found.asOfMs, rate.asOfMs);
  return {
    coin,
    venue,
    symbol,
    quote,
    rawPrice: last,
    lastUsd: usd(last),
    ...(bid === undefined ? {} : { bidUsd: usd(bid) }),
    ...(ask === undefined ? {} : { askUsd: usd(ask) }),
    priceUsd: usd(midOrLast(found)),
    ...(volume24hCoins === undefined ? {} : { volume24hCoins }),
    ...(change === undefined ? {} : { change24hPct: change }),
    receivedAtMs,
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

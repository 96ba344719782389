import { roundTo, type SpotBook, type SpotTicker } from '@crosstape/core';
import { rowAtMs, type Snapshot } from '../../topics.ts';
import type { UsdKrw } from '../usd-krw.ts';
import { midOrLast, SPOT_STALE_MS } from '../usdt-rate.ts';
import { bpsAbove } from './venue-spreads.ts';

/** Beyond so many basis points it is a premium, or a discount. */
const NEUTRAL_BPS = 50;
const PERCENT_DECIMALS = 4;
const PRESSURE_DECIMALS = 4;
const PRICE_FIGURES = 12;

export interface KimchiInputs {
  readonly coin: string;
  readonly nowMs: number;
  /** Of the Korean venue, in won; the tether among them. */
  readonly tickers?: Snapshot<SpotTicker> | undefined;
  readonly books?: Snapshot<SpotBook> | undefined;
  readonly usdKrw?: UsdKrw | undefined;
  /** USDT in dollars. */
  readonly usdtUsd?: number | undefined;
  /** Of the spot venues of the world. */
  readonly medianUsd?: number | undefined;
}

export interface KimchiPremium {
  readonly venue: string;
  /** The venue's own spelling of the pair. */
  readonly pair: string;
  readonly localPriceKrw: number;
  /** Whether it is the middle of the book, or the last trade. */
  readonly priceFrom: 'book' | 'last';
  readonly usdKrw: UsdKrw;
  readonly localPriceUsd: number;
  readonly medianUsd: number;
  readonly premiumPct: number;
  readonly premiumBps: number;
  readonly pressure: number | undefined;
  /** All that rests on either side of the book, where it is fresh. */
  readonly bookSizes?: { readonly bid: number; readonly ask: number };
  readonly interpretation: 'premium' | 'discount' | 'neutral';
  /** The same by what a tether costs there. */
  readonly usdt?: { readonly usdtKrw: number; readonly usdtUsd: number; readonly premiumBps: number };
  readonly fetchedAtMs: number;
}

/** What a coin costs in Korea against the world; a sentence where that cannot be said. */
export function kimchiPremium(inputs: KimchiInputs): KimchiPremium | string {
  const { coin, nowMs, tickers, books, usdKrw, usdtUsd, medianUsd } = inputs;
  const ticker = tickers?.rows.find((row) => row.coin === coin);
  if (!tickers || !ticker) return `The Korean venue has told no price of ${coin}.`;
  const book = books && bookOf(books, coin);
  const isFresh = ({ venueTs }: { readonly venueTs?: number }, fetchedAtMs: number): boolean =>
    nowMs - Math.min(venueTs ?? fetchedAtMs, fetchedAtMs) <= SPOT_STALE_MS;
  const freshBook = book && isFresh(book, book.fetchedAtMs) ? book : undefined;
  const mid = freshBook && midOf(freshBook);
  if (mid === undefined && !isFresh(ticker, tickers.fetchedAtMs))
    return `The newest price of ${coin} on the Korean venue is old.`;
  if (!usdKrw) return 'No rate of the won is known.';
  if (medianUsd === undefined) return `No spot venue has a fresh price of ${coin}.`;
  const localPriceKrw = mid ?? ticker.last;
  const localPriceUsd = inFigures(localPriceKrw / usdKrw.rate);
  const premiumBps = bpsAbove(localPriceUsd, medianUsd);
  const tether = tickers.rows.find((row) => row.coin === 'USDT');
  const usdtKrw = tether && isFresh(tether, tickers.fetchedAtMs) ? midOrLast(tether) : undefined;
  return {
    venue: tickers.venue,
    pair: ticker.symbol,
    localPriceKrw,
    priceFrom: mid === undefined ? 'last' : 'book',
    usdKrw,
    localPriceUsd,
    medianUsd,
    premiumPct: roundTo((localPriceUsd / medianUsd - 1) * 100, PERCENT_DECIMALS),
    premiumBps,
    pressure: freshBook && pressureOf(freshBook),
    ...(freshBook && { bookSizes: { bid: freshBook.bidSize, ask: freshBook.askSize } }),
    interpretation: premiumBps > NEUTRAL_BPS ? 'premium' : premiumBps < -NEUTRAL_BPS ? 'discount' : 'neutral',
    ...(usdtKrw !== undefined &&
      usdtUsd !== undefined && {
        usdt: {
          usdtKrw,
          usdtUsd,
          premiumBps: bpsAbove((localPriceKrw / usdtKrw) * usdtUsd, medianUsd),
        },
      }),
    fetchedAtMs: Math.max(tickers.fetchedAtMs, freshBook?.fetchedAtMs ?? 0, usdKrw.fetchedAtMs),
  };
}

/** Books are told one by one, each at its own time. */
function bookOf(
  books: Snapshot<SpotBook>,
  coin: string,
): (SpotBook & { readonly fetchedAtMs: number }) | undefined {
  const i = books.rows.findIndex((row) => row.coin === coin);
  const book = books.rows[i];
  return book && { ...book, fetchedAtMs: rowAtMs(books, i) };
}

function midOf({ bid, ask }: SpotBook): number | undefined {
  return bid === undefined || ask === undefined ? undefined : (bid + ask) / 2;
}

/** From −1, asks only, to 1, bids only. */
function pressureOf({ bidSize, askSize }: SpotBook): number | undefined {
  const sum = bidSize + askSize;
  return sum > 0 ? roundTo((bidSize - askSize) / sum, PRESSURE_DECIMALS) : undefined;
}

function inFigures(value: number): number {
  return Number(value.toPrecision(PRICE_FIGURES));
}

import { roundTo, type SpotBook, type SpotTicker } from '@crosstape/core';
import { rowAtMs, type Snapshot } from '../../topics.ts';
import type { UsdKrw } from '../rates/usd-krw.ts';
import { midOrLast, SPOT_STALE_MS } from '../rates/usdt-rate.ts';
import { type Received, SKEW_MAX_MS, spreadMs } from './same-moment.ts';
import { bpsAbove } from './venue-spreads.ts';

/** Beyond this many basis points it is a premium, or a discount. */
const NEUTRAL_BPS = 50;
const PERCENT_DECIMALS = 4;
const PRESSURE_DECIMALS = 4;
const PRICE_FIGURES = 12;

/** A Korean book, and when it was received. */
export interface ReceivedBook extends SpotBook, Received {}

export interface KimchiInputs {
  readonly coin: string;
  readonly nowMs: number;
  /** Tickers of the Korean venue, in won, including tether. */
  readonly tickers?: Snapshot<SpotTicker> | undefined;
  readonly books?: Snapshot<SpotBook> | undefined;
  /** Earlier books of the coin and of the tether. */
  readonly recentBooks?: readonly ReceivedBook[] | undefined;
  readonly usdKrw?: UsdKrw | undefined;
  /** USDT in dollars. */
  readonly usdtUsd?: number | undefined;
  /** Median of the global spot venues. */
  readonly medianUsd?: number | undefined;
  /** The prices that the median is made of. */
  readonly compared?: readonly Received[];
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
  /** The premium at tether's price in Korea at the same moment. */
  readonly usdt?: { readonly usdtKrw: number; readonly usdtUsd: number; readonly premiumBps: number };
  /** From the first of the compared prices that was received to the last. */
  readonly skewMs: number;
  /** The Korean price is from another moment than the others: it is not used. */
  readonly isSkewed: boolean;
  readonly fetchedAtMs: number;
}

/** Whether it is known and current: a skewed one, or one by an old rate, is only shown. */
export function isCurrent(premium: KimchiPremium | string): premium is KimchiPremium {
  return typeof premium === 'object' && !premium.isSkewed && !premium.usdKrw.isStale;
}

/** A price in won. */
interface LocalPrice extends Received {
  readonly price: number;
  readonly from: 'book' | 'last';
  readonly book?: ReceivedBook;
}

/** The price of a coin in Korea relative to the world; a sentence if it cannot be computed. */
export function kimchiPremium(inputs: KimchiInputs): KimchiPremium | string {
  const { coin, tickers, usdKrw, usdtUsd, medianUsd, compared = [] } = inputs;
  const ticker = tickers?.rows.find((row) => row.coin === coin);
  if (!tickers || !ticker) return `The Korean venue has sent no price of ${coin}.`;
  const local = localPrice(inputs, coin, compared);
  if (!local) return `The newest price of ${coin} on the Korean venue is old.`;
  if (!usdKrw) return 'No rate of the won is known.';
  if (medianUsd === undefined) return `No spot venue has a fresh price of ${coin}.`;
  const { price: localPriceKrw, from, book } = local;
  const localPriceUsd = inFigures(localPriceKrw / usdKrw.rate);
  const premiumBps = bpsAbove(localPriceUsd, medianUsd);
  const skewMs = spreadMs([local, ...compared]);
  const tether = localPrice(inputs, 'USDT', [local]);
  const usdtKrw = tether && spreadMs([tether, local]) <= SKEW_MAX_MS ? tether.price : undefined;
  return {
    venue: tickers.venue,
    pair: ticker.symbol,
    localPriceKrw,
    priceFrom: from,
    usdKrw,
    localPriceUsd,
    medianUsd,
    premiumPct: roundTo((localPriceUsd / medianUsd - 1) * 100, PERCENT_DECIMALS),
    premiumBps,
    pressure: book && pressureOf(book),
    ...(book && { bookSizes: { bid: book.bidSize, ask: book.askSize } }),
    interpretation: premiumBps > NEUTRAL_BPS ? 'premium' : premiumBps < -NEUTRAL_BPS ? 'discount' : 'neutral',
    ...(usdtKrw !== undefined &&
      usdtUsd !== undefined && {
        usdt: {
          usdtKrw,
          usdtUsd,
          premiumBps: bpsAbove((localPriceKrw / usdtKrw) * usdtUsd, medianUsd),
        },
      }),
    skewMs,
    isSkewed: skewMs > SKEW_MAX_MS,
    fetchedAtMs: Math.max(tickers.fetchedAtMs, book?.receivedAtMs ?? 0, usdKrw.fetchedAtMs),
  };
}

/** The mid of the fresh book nearest in time to other prices, else the last trade if fresh. */
function localPrice(
  { nowMs, tickers, books, recentBooks = [] }: KimchiInputs,
  coin: string,
  others: readonly Received[],
): LocalPrice | undefined {
  const isFresh = ({ venueTs }: { readonly venueTs?: number }, receivedAtMs: number): boolean =>
    nowMs - Math.min(venueTs ?? receivedAtMs, receivedAtMs) <= SPOT_STALE_MS;
  const skewOf = (book: ReceivedBook): number => spreadMs([book, ...others]);
  const [book] = [...receivedBooks(books, coin), ...recentBooks]
    .filter((one) => one.coin === coin && isFresh(one, one.receivedAtMs))
    .toSorted((a, b) => skewOf(a) - skewOf(b) || b.receivedAtMs - a.receivedAtMs);
  const mid = book && midOf(book);
  if (book && mid !== undefined) return { price: mid, from: 'book', book, receivedAtMs: book.receivedAtMs };
  const i = tickers?.rows.findIndex((row) => row.coin === coin) ?? -1;
  const ticker = tickers?.rows[i];
  if (!tickers || !ticker) return undefined;
  const receivedAtMs = rowAtMs(tickers, i);
  if (!isFresh(ticker, receivedAtMs)) return undefined;
  return { price: midOrLast(ticker), from: 'last', receivedAtMs, ...(book && { book }) };
}

/** The books of a coin in a table: each has its own time. */
export function receivedBooks(books: Snapshot<SpotBook> | undefined, coin: string): readonly ReceivedBook[] {
  return (books?.rows ?? []).flatMap((book, i) =>
    books && book.coin === coin ? [{ ...book, receivedAtMs: rowAtMs(books, i) }] : [],
  );
}

function midOf({ bid, ask }: SpotBook): number | undefined {
  return bid === undefined || ask === undefined ? undefined : (bid + ask) / 2;
}

/** From −1 (only asks) to 1 (only bids). */
function pressureOf({ bidSize, askSize }: SpotBook): number | undefined {
  const sum = bidSize + askSize;
  return sum > 0 ? roundTo((bidSize - askSize) / sum, PRESSURE_DECIMALS) : undefined;
}

function inFigures(value: number): number {
  return Number(value.toPrecision(PRICE_FIGURES));
}

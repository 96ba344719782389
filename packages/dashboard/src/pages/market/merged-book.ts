import type { Schemas } from '@crosstape/client';
import { perpVenues, venueColor } from '../../format/venues.ts';
import type { Book } from '../../live/topic.ts';

type RecordedMarket = Pick<
  Schemas['RecordedMarket'],
  'market' | 'venue' | 'kind' | 'quote' | 'usdRate' | 'trades24h'
>;

/** Books that are followed at a time: a visitor may follow 20 topics, and the service 50 books for all. */
export const BOOKS_MAX = 8;
/** A side with as many levels as this may continue below; a shorter one is complete. */
const LEVELS_FULL = 20;
const BPS = 10_000;
/** Highest row, as a share of the price. */
const STEP_SHARE_MAX = 0.01;
/** Rows are the next of 1, 2, 5, 10, … that is not smaller. */
const NICE = [1, 2, 5, 10];

/** The kinds of markets that one book can show together. */
export const bookKinds = ['perp', 'spot', 'all'] as const;
export type BookKind = (typeof bookKinds)[number];

/** A market that is not part of a merged book, and why. */
export interface LeftOut {
  readonly market: string;
  readonly why: string;
}

/** The markets of a merged book, the most traded first, and those that are left out of it. */
export function bookMarkets<Market extends RecordedMarket>(
  recorded: readonly Market[],
  kind: BookKind,
  without: readonly string[] = [],
): { readonly used: readonly Market[]; readonly left: readonly LeftOut[] } {
  const used: Market[] = [];
  const left: LeftOut[] = [];
  const ofKind = recorded.filter((one) => kind === 'all' || one.kind === kind);
  for (const one of ofKind.toSorted((a, b) => b.trades24h - a.trades24h)) {
    const { market, quote, usdRate } = one;
    if (without.includes(market)) left.push({ market, why: 'Turned off.' });
    else if (usdRate === null) left.push({ market, why: `Quoted in ${quote}, which has no known USD rate.` });
    else if (used.length === BOOKS_MAX)
      left.push({ market, why: `Not among the ${BOOKS_MAX} most traded books.` });
    else used.push(one);
  }
  return { used, left };
}

/** Venues of perpetuals that have no recorded market of a coin, and so no book. */
export function notRecorded(recorded: readonly RecordedMarket[]): readonly string[] {
  return perpVenues.filter((venue) => !recorded.some((one) => one.kind === 'perp' && one.venue === venue));
}

/** Colour of a market: of its venue; of a spot market half of that, as its venue's perpetual may be in the same book. */
export function marketColour({ venue, kind }: Pick<RecordedMarket, 'venue' | 'kind'>): string {
  const name = venue.replace('-spot', '');
  const own = `var(${venueColor(name)})`;
  if (kind !== 'spot') return own;
  // The colours of the others are taken by venues of perpetuals.
  return perpVenues.some((one) => one === name)
    ? `color-mix(in srgb, ${own} 50%, var(--text))`
    : 'var(--text)';
}

/** A book, and the rate of its currency in dollars. */
export interface MarketBook extends Pick<Book, 'bids' | 'asks'> {
  readonly market: string;
  readonly usdRate: number;
}

/** All orders between a price and the next row, of every market. */
export interface MergedLevel {
  /** In dollars: the lower end of a row of bids, the upper end of a row of asks. */
  readonly price: number;
  readonly size: number;
  /** Sum of all levels up to this one, in dollars. */
  readonly sumUsd: number;
  /** The same by market. */
  readonly sums: Readonly<Record<string, number>>;
  /** Sizes at this level by market. */
  readonly sizes: Readonly<Record<string, number>>;
  /** Some of it would trade at once with the other side of another market. */
  readonly isCrossed: boolean;
  /** Markets whose book, as it is sent, ends before this level. */
  readonly ended: readonly string[];
}

interface Best {
  readonly market: string;
  readonly price: number;
}

export interface MergedBook {
  readonly bids: readonly MergedLevel[];
  readonly asks: readonly MergedLevel[];
  readonly bid: Best | undefined;
  readonly ask: Best | undefined;
  /** Best ask minus best bid, in basis points; negative if markets cross. */
  readonly spreadBps: number | undefined;
}

/** The least of 1, 2, 5, 10, … times a power of ten that is not smaller. */
export function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return Number(((NICE.find((one) => one * power >= least * 0.999_999) ?? 10) * power).toPrecision(1));
}

/**
 * How high a row is, so that the shown rows reach as far as the book in the middle of all. The previous one is kept while
 * it fits roughly: rows do not change with each update.
 */
export function stepFor(books: readonly MarketBook[], rows: number, before = 0): number {
  const reaches = books
    .flatMap(({ bids, asks, usdRate }) =>
      [bids, asks].map((side) => Math.abs((side.at(-1)?.[0] ?? 0) - (side[0]?.[0] ?? 0)) * usdRate),
    )
    .filter((reach) => reach > 0)
    .toSorted((a, b) => a - b);
  const reach = reaches[Math.floor(reaches.length / 2)];
  if (reach === undefined) return before > 0 ? before : 1;
  const least = reach / rows;
  return before >= least && before <= least * 6 ? before : niceStep(least);
}

/** Whether rows of this height suit the price: an address may have the height for a coin of another price. */
export function isStepFor(books: readonly MarketBook[], step: number): boolean {
  const price = bestOf(books, 'bids')?.price ?? bestOf(books, 'asks')?.price;
  return price === undefined || step <= price * STEP_SHARE_MAX;
}

/** One book of several, in dollars. */
export function mergeBooks(books: readonly MarketBook[], step: number, rowsMax: number): MergedBook {
  const bid = bestOf(books, 'bids');
  const ask = bestOf(books, 'asks');
  return {
    bids: sideOf(books, { side: 'bids', step, rowsMax, against: ask }),
    asks: sideOf(books, { side: 'asks', step, rowsMax, against: bid }),
    bid,
    ask,
    spreadBps: bid && ask ? ((ask.price - bid.price) / bid.price) * BPS : undefined,
  };
}

function bestOf(books: readonly MarketBook[], side: 'bids' | 'asks'): Best | undefined {
  let best: Best | undefined;
  for (const { market, usdRate, [side]: levels } of books) {
    const first = levels[0];
    if (!first) continue;
    const price = first[0] * usdRate;
    if (!best || (side === 'bids' ? price > best.price : price < best.price)) best = { market, price };
  }
  return best;
}

interface SideOptions {
  readonly side: 'bids' | 'asks';
  readonly step: number;
  readonly rowsMax: number;
  /** The best of the other side. */
  readonly against: Best | undefined;
}

function sideOf(
  books: readonly MarketBook[],
  { side, step, rowsMax, against }: SideOptions,
): readonly MergedLevel[] {
  const sign = side === 'bids' ? 1 : -1;
  /** By how many steps the row is above zero. */
  const rows = new Map<
    number,
    { readonly sizes: Record<string, number>; readonly usd: Record<string, number>; isCrossed: boolean }
  >();
  /** The last row that each book fills. */
  const ends = new Map<string, number>();
  const rowOf = (price: number): number => sign * Math.floor((sign * price) / step + 1e-9);
  for (const { market, usdRate, [side]: levels } of books) {
    for (const [at, size] of levels) {
      const price = at * usdRate;
      const place = rowOf(price);
      const row = rows.get(place) ?? { sizes: {}, usd: {}, isCrossed: false };
      rows.set(place, row);
      row.sizes[market] = (row.sizes[market] ?? 0) + size;
      row.usd[market] = (row.usd[market] ?? 0) + size * price;
      if (against && against.market !== market && sign * (price - against.price) > 0) row.isCrossed = true;
    }
    const last = levels.at(-1);
    if (last && levels.length >= LEVELS_FULL) ends.set(market, rowOf(last[0] * usdRate));
  }
  const sums: Record<string, number> = {};
  let sumUsd = 0;
  return [...rows]
    .toSorted(([a], [b]) => sign * (b - a))
    .slice(0, rowsMax)
    .map(([place, { sizes, usd, isCrossed }]) => {
      const price = place * step;
      const size = Object.values(sizes).reduce((total, own) => total + own, 0);
      for (const [market, own] of Object.entries(usd)) {
        sums[market] = (sums[market] ?? 0) + own;
        sumUsd += own;
      }
      const ended = [...ends].flatMap(([market, end]) => (sign * (end - place) >= 0 ? market : []));
      return { price, size, sumUsd, sums: { ...sums }, sizes, isCrossed, ended };
    });
}

/** Where each market's part of a level's sum ends, as stripes from the right. */
export function stripes(
  { sums, sumUsd }: MergedLevel,
  markets: readonly { readonly id: string; readonly colour: string }[],
): string {
  let from = 0;
  const parts = markets.flatMap(({ id, colour }) => {
    const own = sums[id] ?? 0;
    if (own === 0) return [];
    const at = from;
    from += (own / sumUsd) * 100;
    return `color-mix(in srgb, ${colour} 38%, transparent) ${at.toFixed(1)}% ${from.toFixed(1)}%`;
  });
  return `linear-gradient(to left, ${parts.join(', ')})`;
}

import { isAggregate } from '../../format/aggregates.ts';
import { marketIntervals } from '../market/bar-kinds.ts';
import { MARKET_ID } from '../market/market-choice.ts';
import { parseKept, printKept } from '../../parts/kept-file.ts';
import { type CellBars, parseBars, printBars } from './cell-bars.ts';

type Interval = (typeof marketIntervals)[number];

/** One chart of a layout. */
export interface CellChoice {
  readonly coin: string;
  /** Id of a market, where it is not the primary venue's. */
  readonly market?: string;
  readonly interval: Interval;
  /** Bars that are not of time; the interval is kept for when they are again. */
  readonly bars?: CellBars;
}

export const cellCounts = ['1', '2', '4', '6'] as const;
export type CellCount = (typeof cellCounts)[number];
export const CELLS_MAX = 6;
/** Coins of a new layout. */
const FIRST_COINS = ['BTC', 'ETH', 'SOL', 'HYPE', 'XRP', 'DOGE'] as const;
const FIRST_INTERVAL: Interval = '5m';
const COIN = /^[A-Za-z0-9]{1,20}$/;
const NAME_CHARS_MAX = 40;
export const LAYOUTS_MAX = 30;

/** `BTC@5m`, `BTC~binance:BTCUSDT@1h`, `ETH@5m:range:40`. */
function printCell({ coin, market, interval, bars }: CellChoice): string {
  const name = market === undefined ? coin : `${coin}~${market}`;
  return `${name}@${interval}${bars ? `:${printBars(bars)}` : ''}`;
}

function parseCell(text: string | undefined, place: number): CellChoice {
  const [name = '', drawn = ''] = (text ?? '').split('@');
  const [coin = '', market] = name.split('~');
  const [length, ...others] = drawn.split(':');
  const bars = parseBars(others);
  const interval = marketIntervals.find((one) => one === length) ?? FIRST_INTERVAL;
  const shown = { interval, ...(bars && { bars }) };
  if (!COIN.test(coin)) return { coin: FIRST_COINS[place] ?? 'BTC', ...shown };
  return market !== undefined && MARKET_ID.test(market) ? { coin, market, ...shown } : { coin, ...shown };
}

/**
 * The charts of a URL; absent or malformed values have defaults. Added charts show the coin of the first one where coins
 * are linked, and have its interval where intervals are.
 */
export function parseCells(
  text: string | null,
  count: number,
  isLinked: (what: LinkName) => boolean = () => false,
): readonly CellChoice[] {
  const given = (text ?? '').split(',');
  const first = parseCell(given[0], 0);
  return Array.from({ length: Math.min(count, CELLS_MAX) }, (_, i) => {
    if (given[i]) return parseCell(given[i], i);
    const added = isLinked('coin') ? first : parseCell(undefined, i);
    return isLinked('interval') ? { ...added, interval: first.interval } : added;
  });
}

export function printCells(cells: readonly CellChoice[]): string {
  return cells.map(printCell).join(',');
}

/** A chart with another coin; one of several markets together shows those of the new coin. */
export function withCoin({ market, interval, bars }: CellChoice, coin: string): CellChoice {
  // The sizes that were given are for the other coin.
  const shown = { interval, ...(bars && { bars: { ...bars, values: [] } }) };
  if (market === undefined || !isAggregate(market)) return { coin, ...shown };
  return { coin, market: `${market.slice(0, market.indexOf(':'))}:${coin}`, ...shown };
}

/** What charts of a layout share. */
export const linkNames = ['coin', 'time', 'interval'] as const;
export type LinkName = (typeof linkNames)[number];

/**
 * The charts after one was changed: with linked coins all show its coin, each of its own market if that has the coin;
 * with linked intervals all show bars of its interval.
 */
export function changeCell(
  cells: readonly CellChoice[],
  place: number,
  next: CellChoice,
  isLinked: (what: LinkName) => boolean,
): readonly CellChoice[] {
  return cells.map((cell, i) => {
    if (i === place) return next;
    const same = isLinked('coin') && cell.coin !== next.coin ? withCoin(cell, next.coin) : cell;
    return isLinked('interval') ? { ...same, interval: next.interval } : same;
  });
}

/** Named layouts: the query of their address. */
export type Layouts = Readonly<Record<string, string>>;

export function isLayouts(value: unknown): value is Layouts {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const entries = Object.entries(value);
  return (
    entries.length <= LAYOUTS_MAX &&
    entries.every(
      ([name, query]) => name !== '' && name.length <= NAME_CHARS_MAX && typeof query === 'string',
    )
  );
}

/** Layouts as a file. */
export function printLayouts(layouts: Layouts): string {
  return printKept('layouts', layouts);
}

/** The layouts of a file, or what is wrong with it in a sentence. */
export function parseLayouts(text: string): { readonly layouts: Layouts } | { readonly error: string } {
  const read = parseKept(text, 'layouts', isLayouts);
  return 'error' in read ? read : { layouts: read.value };
}

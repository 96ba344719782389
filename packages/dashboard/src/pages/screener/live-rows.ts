import type { LivePrice } from './price-turns.ts';
import { figureNames, priceFigures, type ScreenerRow, type Ticker } from './screener-rows.ts';

/** Rows by their coin, as they were drawn last: a row without a new figure stays the same object, and is not drawn again. */
export type RowsByCoin = ReadonlyMap<string, ScreenerRow>;

/** Rows with the price of the newest trade where it is newer than that of the ticker. */
export function liveRows(
  rows: readonly ScreenerRow[],
  tickers: ReadonlyMap<string, Ticker>,
  prices: ReadonlyMap<string, LivePrice>,
  drawn: RowsByCoin,
): readonly ScreenerRow[] {
  return rows.map((row) => {
    const [ticker, live] = [tickers.get(row.coin), prices.get(row.coin)];
    const isNewer = ticker !== undefined && live !== undefined && live.ts > ticker.fetchedAt;
    const next = isNewer ? { ...row, ...priceFigures(ticker, live.price) } : row;
    const before = drawn.get(row.coin);
    return before && isSame(before, next) ? before : next;
  });
}

function isSame(one: ScreenerRow, other: ScreenerRow): boolean {
  return figureNames.every((name) => one[name] === other[name]);
}

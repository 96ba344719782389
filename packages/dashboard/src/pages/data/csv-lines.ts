import { barAt, type ResultPack } from '@crosstape/client/bars';
import type { TickPage } from '@crosstape/client';

type Columns = Parameters<typeof barAt>[0];
type Ticks = TickPage['ticks'];

/** This many lines are made at a time, so that the page stays responsive. */
const LINES_AT_ONCE = 5_000;

/** Closed bars as CSV lines with a header, as written by `crosstape build`. */
export function* csvOfBars({ bars }: Pick<ResultPack, 'bars'>): Generator<string> {
  const [first] = rowsOf(bars, 0, 1);
  const names = Object.keys(first ?? {});
  if (names.length > 0) yield `${names.join(',')}\n`;
  for (let from = 0; from < bars.length; from += LINES_AT_ONCE) {
    const rows = rowsOf(bars, from, Math.min(bars.length, from + LINES_AT_ONCE));
    yield rows.map((bar) => `${names.map((name) => bar[name]).join(',')}\n`).join('');
  }
}

function rowsOf(bars: Columns, from: number, to: number): readonly Readonly<Record<string, unknown>>[] {
  return Array.from({ length: Math.max(0, Math.min(bars.length, to) - from) }, (_, i) =>
    barAt(bars, from + i),
  );
}

export const TICKS_HEAD = 'ts,price,size,side,sameOrder\n';

/** Trades as lines of text; prices and sizes print exactly as the venue wrote them. */
export function csvOfTicks({ length, ts, price, size, isBuy, sameOrder, ...scale }: Ticks): string {
  const [perPrice, perSize] = [10 ** scale.priceDecimals, 10 ** scale.sizeDecimals];
  const lines: string[] = [];
  for (let i = 0; i < length; i += 1) {
    const side = isBuy[i] === 1 ? 'buy' : 'sell';
    lines.push(
      `${ts[i]},${(price[i] ?? 0) / perPrice},${(size[i] ?? 0) / perSize},${side},${sameOrder[i] === 1}\n`,
    );
  }
  return lines.join('');
}

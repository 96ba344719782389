import { bps, percent, price, trend, usd } from '../../format/numbers.ts';
import type { Column } from '../../parts/column.ts';
import type { ScreenerRow } from './screener-rows.ts';

export type Figure = Exclude<keyof ScreenerRow, 'coin'>;

interface Look {
  readonly title: string;
  readonly hint: string;
  readonly text: (value: number | undefined) => string;
  /** Coloured by its sign. */
  readonly isSigned?: boolean;
  readonly isWide?: boolean;
}

const change = (title: string, hint: string, isWide = false): Look => ({
  title,
  hint,
  text: (value) => percent(value),
  isSigned: true,
  isWide,
});

/** Every figure of the table: its heading, what it is, and how it is printed. */
export const figures: Readonly<Record<Figure, Look>> = {
  price: { title: 'Price, $', hint: 'Mark price of the primary venue', text: (value) => price(value) },
  change30m: change('30 m', 'Since the last half hour', true),
  change1h: change('1 h', 'Over one hour'),
  change4h: change('4 h', 'Over four hours'),
  change12h: change('12 h', 'Over twelve hours', true),
  change24h: change('24 h', 'Over 24 hours'),
  volatility: {
    title: 'Vol.',
    hint: 'Volatility: deviation of half-hour returns of the last day, percent a year',
    text: (value) => percent(value, { digits: 0, signed: false }),
  },
  volume: { title: 'Volume', hint: 'Of 24 hours on the primary venue, USD', text: (value) => usd(value) },
  oi: { title: 'OI', hint: 'Open interest of the venue chosen, or of all, USD', text: (value) => usd(value) },
  funding: {
    title: 'Funding',
    hint: 'Percent a year: of the venue chosen, or of all, weighted by open interest',
    text: (value) => percent(value, { digits: 1 }),
    isSigned: true,
  },
  spread: {
    title: 'Spread',
    hint: 'Highest less lowest funding of all venues, percent a year',
    text: (value) => percent(value, { digits: 1, signed: false }),
  },
  basis: { title: 'Basis', hint: 'Mark over index', text: (value) => bps(value), isSigned: true },
  liqLong: {
    title: 'Liq. long',
    hint: 'Longs liquidated in 24 hours, measured and inferred, USD',
    text: (value) => usd(value),
  },
  liqShort: {
    title: 'Liq. short',
    hint: 'Shorts liquidated in 24 hours, measured and inferred, USD',
    text: (value) => usd(value),
  },
  whales: {
    title: 'Whales',
    hint: 'Bought less sold in the latest 500 prints of $100K or more, USD',
    text: (value) => usd(value, { signed: true }),
    isSigned: true,
  },
  long: {
    title: 'Long',
    hint: 'Share of accounts that are long, of the 50 largest coins',
    text: (value) => percent(value, { digits: 0, signed: false }),
    isWide: true,
  },
};

export const figureNames = Object.keys(figures) as Figure[];

export const columns: readonly Column<ScreenerRow>[] = [
  { name: 'watch', title: '★', text: () => '', isDrawn: true, isText: true },
  {
    name: 'coin',
    title: 'Coin',
    text: ({ coin }) => coin,
    sort: ({ coin }) => coin,
    isText: true,
    isDrawn: true,
  },
  ...figureNames.map((name): Column<ScreenerRow> => {
    const { title, hint, text, isSigned, isWide = false } = figures[name];
    return {
      name,
      title,
      hint,
      text: (row) => text(row[name]),
      sort: (row) => row[name],
      ...(isSigned && { tone: (row: ScreenerRow) => trend(row[name]) }),
      isWide,
    };
  }),
];

/** The rows as a table that any program reads: figures in full. */
export function screenerCsv(rows: readonly ScreenerRow[]): string {
  const lines = rows.map((row) => [row.coin, ...figureNames.map((name) => row[name] ?? '')].join(','));
  return [['coin', ...figureNames].join(','), ...lines, ''].join('\n');
}

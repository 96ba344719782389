import { bps, percent, price, trend, usd } from '../../format/numbers.ts';
import { perpVenues, venueName } from '../../format/venues.ts';
import type { Column } from '../../parts/column.ts';
import { type Figure, figureNames, type OwnFigure, type ScreenerRow, venueFigures } from './screener-rows.ts';

interface Look {
  readonly title: string;
  readonly hint: string;
  readonly text: (value: number | undefined) => string;
  /** Coloured by its sign. */
  readonly isSigned?: boolean;
}

const change = (title: string, hint: string): Look => ({
  title,
  hint,
  text: (value) => percent(value),
  isSigned: true,
});
const oiChange = (hours: string): Look =>
  change(
    `OI ${hours}`,
    `Change of open interest over ${hours} in contracts: of the venue chosen, or of the six that report contracts`,
  );
const cvd = (hours: string): Look => ({
  title: `CVD ${hours}`,
  hint: `Taker buys minus taker sells over ${hours} on the primary venue, USD`,
  text: (value) => usd(value, { signed: true }),
  isSigned: true,
});
const yearly = (title: string, hint: string): Look => ({
  title,
  hint,
  text: (value) => percent(value, { digits: 1 }),
  isSigned: true,
});

const ownLooks: Readonly<Record<OwnFigure, Look>> = {
  price: {
    title: 'Price, $',
    hint: 'Last trade on the primary venue, or its mark price where that is newer',
    text: (value) => price(value),
  },
  change30m: change('30 m', 'Since the last half hour'),
  change1h: change('1 h', 'Over one hour'),
  change4h: change('4 h', 'Over four hours'),
  change12h: change('12 h', 'Over twelve hours'),
  change24h: change('24 h', 'Over 24 hours'),
  volatility: {
    title: 'Volatility',
    hint: 'Annualised standard deviation of half-hour returns over the last day, percent',
    text: (value) => percent(value, { digits: 0, signed: false }),
  },
  volume: { title: 'Volume', hint: '24-hour volume on the primary venue, USD', text: (value) => usd(value) },
  volumeAll: {
    title: 'Volume, all',
    hint: '24-hour volume on all venues that report it, USD',
    text: (value) => usd(value),
  },
  volumeShare: {
    title: 'Largest share',
    hint: 'Share of the venue with the most volume in the volume of all venues',
    text: (value) => percent(value, { digits: 1, signed: false }),
  },
  oi: {
    title: 'OI',
    hint: 'Open interest on the chosen venue, or on all venues, USD',
    text: (value) => usd(value),
  },
  oi1h: oiChange('1 h'),
  oi4h: oiChange('4 h'),
  oi24h: oiChange('24 h'),
  funding: yearly('Funding', 'Percent a year: of the venue chosen, or of all, weighted by open interest'),
  spread: {
    title: 'Spread',
    hint: 'Highest minus lowest funding across venues, percent a year',
    text: (value) => percent(value, { digits: 1, signed: false }),
  },
  basis: { title: 'Basis', hint: 'Mark over index', text: (value) => bps(value), isSigned: true },
  cvd1h: cvd('1 h'),
  cvd4h: cvd('4 h'),
  cvd24h: cvd('24 h'),
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
    hint: 'Bought less sold in prints of $100K or more on the primary venue, USD: over the period that the newest 1,000 prints of all coins cover',
    text: (value) => usd(value, { signed: true }),
    isSigned: true,
  },
  long: {
    title: 'Accounts long',
    hint: 'Share of accounts that are long, of the 50 largest coins',
    text: (value) => percent(value, { digits: 0, signed: false }),
  },
};

/** Every figure of the table: its heading, meaning and format. */
export const figures = {
  ...ownLooks,
  ...Object.fromEntries(
    perpVenues.flatMap((venue): readonly (readonly [string, Look])[] => {
      const name = venueName(venue);
      const volume: Look = {
        title: `V. ${name}`,
        hint: `24-hour volume on ${name}, as it reports it, USD`,
        text: (value) => usd(value),
      };
      return [
        [`funding_${venue}`, yearly(`F. ${name}`, `Funding on ${name}, percent a year`)],
        [`volume_${venue}`, volume],
      ];
    }),
  ),
} as Readonly<Record<Figure, Look>>;

/** Figures that are hidden by default on narrow screens. */
const hiddenFirst = new Set<Figure>(['oi4h', 'cvd4h', 'volumeAll', 'volumeShare', ...venueFigures]);
export const shownFirst: readonly Figure[] = figureNames.filter((name) => !hiddenFirst.has(name));

/** The figures of an address: `price,oi,funding_okx`, in the order of the table; without any, those shown at first. */
export function parseShown(text: string): readonly Figure[] {
  const asked = new Set(text.split(','));
  const known = figureNames.filter((name) => asked.has(name));
  return known.length > 0 ? known : shownFirst;
}

/** Empty where they are those shown at first. */
export function shownText(shown: readonly Figure[]): string {
  const text = shown.join(',');
  return text === shownFirst.join(',') ? '' : text;
}

/** The columns of these figures. `whalesOver` is the period of the large prints. */
export function columnsOf(shown: readonly Figure[], whalesOver?: string): readonly Column<ScreenerRow>[] {
  return [
    {
      name: 'coin',
      title: 'Coin',
      text: ({ coin }) => coin,
      sort: ({ coin }) => coin,
      isText: true,
      isDrawn: true,
    },
    { name: 'watch', title: '★', text: () => '', isDrawn: true, isText: true },
    ...shown.map((name): Column<ScreenerRow> => {
      const { title, hint, text, isSigned } = figures[name];
      return {
        name,
        title: name === 'whales' && whalesOver !== undefined ? `${title} ${whalesOver}` : title,
        hint,
        text: (row) => text(row[name]),
        sort: (row) => row[name],
        ...(isSigned && { tone: (row: ScreenerRow) => trend(row[name]) }),
      };
    }),
  ];
}

/** The displayed rows as a CSV table with full figures. */
export function screenerCsv(rows: readonly ScreenerRow[], shown: readonly Figure[]): string {
  const lines = rows.map((row) => [row.coin, ...shown.map((name) => row[name] ?? '')].join(','));
  return [['coin', ...shown].join(','), ...lines, ''].join('\n');
}

/** Whether a figure is made of the volumes of the venues. */
export function isVolumeByVenue(figure: Figure): boolean {
  return figure === 'volumeAll' || figure === 'volumeShare' || figure.startsWith('volume_');
}

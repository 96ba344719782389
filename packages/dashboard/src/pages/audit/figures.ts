import { plain } from '../../format/numbers.ts';
import type { Hour } from './verdicts.ts';

type Figures = Hour['ours'];
type Minute = NonNullable<Hour['minutes']>[number];

const names = {
  volume: 'Volume, coins',
  trades: 'Trades',
  buyVolume: 'Bought, coins',
  notionalUsd: 'Value, $',
} as const;
type Figure = keyof typeof names;

/** Digits after the point that are compared at most. */
const DIGITS_MAX = 8;

/** All digits, without trailing zeros. */
function exact(value: number | undefined): string {
  if (value === undefined) return '–';
  const digits = Number.isInteger(value) ? 0 : (String(value).split('.')[1]?.length ?? DIGITS_MAX);
  return plain(value, Math.min(DIGITS_MAX, digits));
}

export interface FigureRow {
  readonly name: string;
  readonly ours: string;
  readonly venue: string;
  readonly difference: string;
}

/** The figures of an hour that the venue proves, side by side. */
export function figureRows({ ours, venue }: Pick<Hour, 'ours' | 'venue'>): readonly FigureRow[] {
  return (Object.keys(names) as Figure[])
    .filter((name) => ours[name] !== undefined)
    .map((name) => ({
      name: names[name],
      ours: exact(ours[name]),
      venue: exact(venue?.[name]),
      difference: venue ? exact(difference(ours[name], venue[name])) : '–',
    }));
}

/** The first figure of a minute that is not the same; prices are compared, but not kept. */
export function minuteFigure({ figures, ours, venue }: Minute): Omit<FigureRow, 'difference'> {
  const amounts: Readonly<Record<string, Figure>> = {
    volume: 'volume',
    trades: 'trades',
    buyVolume: 'buyVolume',
    notional: 'notionalUsd',
  };
  const figure = figures.map((name) => amounts[name]).find((name) => name !== undefined);
  const text = (side: Figures | undefined): string => (side ? exact(figure && side[figure]) : 'no trade');
  return { name: figure ? names[figure] : 'Prices', ours: text(ours), venue: text(venue) };
}

/** Without the rounding of floats. */
function difference(a = 0, b = 0): number {
  return Number((a - b).toFixed(DIGITS_MAX));
}

/** The result of requesting the trades of differing minutes again. */
export function refillText({ trades, isRepaired, reason }: NonNullable<Hour['refill']>): string {
  if (reason !== undefined) return `The missing trades could not be requested: ${reason}`;
  if (trades === 0) return 'Requested again: the venue has no trade that the record lacks.';
  const found = `Requested again: the venue has ${plain(trades, 0)} ${trades === 1 ? 'trade' : 'trades'} that the record lacks.`;
  return isRepaired
    ? `${found} With them the hour is the same: repaired, in repaired_trades of the lake.`
    : `${found} The hour differs with them as well: not repaired.`;
}

/** How far away the expiries are whose smiles are shown first. */
const FIRST_DAYS = [7, 30, 90, 180] as const;

interface Expiry {
  readonly expiryLabel: string;
  readonly dteDays: number;
}

/** Labels of the expiries nearest to a week, a month, a quarter and half a year. */
export function chooseExpiries(expiries: readonly Expiry[]): readonly string[] {
  const nearest = FIRST_DAYS.flatMap((days) => {
    const [found] = expiries.toSorted((a, b) => Math.abs(a.dteDays - days) - Math.abs(b.dteDays - days));
    return found ? [found.expiryLabel] : [];
  });
  return [...new Set(nearest)];
}

const SERIES = 9;

/** The colour of an expiry is the same in every panel: by its place among all of them. */
export function expiryColor(labels: readonly string[], label: string): string {
  return `--series-${(Math.max(0, labels.indexOf(label)) % SERIES) + 1}`;
}

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

/** `27NOV26` of a time, as the venue labels expiries. */
export function labelOf(expiryMs: number): string {
  const date = new Date(expiryMs);
  const two = (part: number): string => String(part).padStart(2, '0');
  return `${two(date.getUTCDate())}${MONTHS[date.getUTCMonth()]}${two(date.getUTCFullYear() % 100)}`;
}

/** `27 Nov 26` of a label. */
export function readable(label: string): string {
  const [, day, month = '', year] = /^(\d+)([A-Z]{3})(\d+)$/.exec(label) ?? [];
  return day === undefined ? label : `${day} ${month.charAt(0)}${month.slice(1).toLowerCase()} ${year}`;
}

/** `18 h`, `12 d`. */
export function daysText(days: number): string {
  return days < 2 ? `${Math.round(days * 24)} h` : `${Math.round(days)} d`;
}

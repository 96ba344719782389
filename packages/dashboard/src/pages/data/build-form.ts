import { allowedText, type BarParam, barKinds, type BuildSpec, validateSpec } from '@crosstape/client/bars';

export { barKinds };

/** How far back a build may reach. */
const DAYS_MAX = 7;

/** Initial values of a kind without defaults, suitable for a large coin. */
const beginnings: Readonly<Record<string, string>> = {
  rangeTicks: '50',
  trendTicks: '80',
  revTicks: '40',
  boxTicks: '40',
  volume: '1000000',
  delta: '250000',
  unit: 'usd',
};

/** Labels of the fields; API calls and URLs use their own names. */
const paramLabels: Readonly<Record<string, string>> = {
  intervalMs: 'Interval, ms',
  trades: 'Trades per bar',
  volume: 'Volume per bar',
  unit: 'Unit of size',
  rangeTicks: 'Range, ticks',
  delta: 'Imbalance per bar',
  trendTicks: 'Trend move, ticks',
  revTicks: 'Against it, ticks',
  boxTicks: 'Box, ticks',
  reversal: 'Reversal, boxes',
};

export function labelOf(name: string): string {
  return paramLabels[name] ?? name;
}

/** The rule of a kind in the words of the form, where the one of the API names parameters. */
const summaries: Readonly<Record<string, string>> = {
  range: 'A trade that would take high − low beyond the range opens the next bar.',
  trend_reversal: 'Closes when the price moves this far with the trend, or this far back from its extreme.',
};

export function summaryOf({ name, summary }: { readonly name: string; readonly summary: string }): string {
  return summaries[name] ?? summary;
}

/** A sentence of the API with the labels of the fields. */
function inLabels(text: string): string {
  return text
    .replaceAll(/params\.(\w+)/g, (_, name: string) => labelOf(name).replace(/, .*$/, ''))
    .replace(/^tick\b/, 'Tick size');
}

export const kindTitles: Readonly<Record<string, string>> = {
  time: 'Time',
  tick: 'Tick',
  volume: 'Volume',
  range: 'Range',
  delta: 'Delta',
  trend_reversal: 'Trend',
  pnf: 'P&F',
};

/** The text that a field begins with. */
export function beginningOf(param: BarParam): string {
  return beginnings[param.name] ?? String(param.default ?? '');
}

/** The allowed values of a field, with its unit. */
export function hintOf(param: BarParam): string {
  return param.type === 'choice' ? param.description : `${param.description}: ${allowedText(param)}`;
}

export interface Form {
  readonly coin: string;
  readonly kind: string;
  /** By the name of the parameter, as it was typed. */
  readonly params: Readonly<Record<string, string>>;
  readonly days: string;
  /** Empty: the venue's own. */
  readonly tick: string;
}

/** The build that the form describes, or one sentence on what is wrong: the same check as the service's. */
export function specOf({
  coin,
  kind,
  params,
  days,
  tick,
}: Form): { readonly spec: BuildSpec } | { readonly error: string } {
  const found = barKinds.find(({ name }) => name === kind);
  if (!found) return { error: `Unknown bar type ${kind}.` };
  const typed: Record<string, number | string> = {};
  for (const param of found.params) {
    const text = (params[param.name] ?? '').trim();
    if (text !== '') typed[param.name] = param.type === 'choice' ? text : Number(text);
  }
  const tickGiven = tick.trim() === '' ? undefined : Number(tick);
  const check = validateSpec(kind, typed, tickGiven ?? 1);
  if ('error' in check) return { error: inLabels(check.error) };
  const dayCount = Number(days);
  if (!(dayCount > 0 && dayCount <= DAYS_MAX))
    return { error: `Days must be above 0 and at most ${DAYS_MAX}.` };
  const spec = {
    coin,
    kind: found.name as BuildSpec['kind'],
    params: { ...check.spec.params },
    days: dayCount,
  };
  return { spec: tickGiven === undefined ? spec : { ...spec, tick: tickGiven } };
}

/** `Range, ticks 50 · 1 day` */
export function specText({ params = {}, days = 1, tick }: BuildSpec): string {
  const words = Object.entries(params).map(([name, value]) => `${labelOf(name)} ${value}`);
  return [
    ...words,
    `${days} ${days === 1 ? 'day' : 'days'}`,
    ...(tick === undefined ? [] : [`tick ${tick}`]),
  ].join(' · ');
}

/** Where the market page shows bars like these; it takes sizes in dollars alone. */
export function chartHref({ coin, kind, params = {}, days }: BuildSpec): string | undefined {
  const { unit = 'usd' } = params;
  if (coin === undefined || kind === 'time' || unit !== 'usd') return undefined;
  const query = new URLSearchParams({ kind });
  for (const [name, value] of Object.entries(params)) if (name !== 'unit') query.set(name, String(value));
  if (days !== undefined) query.set('days', String(days));
  return `/m/${encodeURIComponent(coin)}?${query}`;
}

import { COMPARE, indicatorNames, SPREAD } from './indicator-names.ts';
import { isLineColor, type LineColor, lineColors } from './line-colors.ts';
import { MARKET_ID } from './market-choice.ts';

/** Prices of a bar that an indicator can be computed from. */
export const priceSources = ['close', 'open', 'high', 'low', 'hl2', 'hlc3', 'ohlc4'] as const;
export type PriceSource = (typeof priceSources)[number];
/** When a VWAP begins again. */
export const vwapPeriods = ['day', 'week', 'month'] as const;
export type VwapPeriod = (typeof vwapPeriods)[number];

/** An indicator with its settings. */
export interface IndicatorChoice {
  /** A name of `indicator-names.ts`. */
  readonly kind: string;
  readonly length?: number;
  readonly deviations?: number;
  readonly source?: PriceSource;
  readonly period?: VwapPeriod;
  readonly color?: LineColor;
  /** The compared market: a coin of the primary venue, an id such as `binance:BTCUSDT`, or `spot` of the same coin. */
  readonly market?: string;
}

/** Settings with their defaults; other indicators have none. */
const defaults: Readonly<Record<string, Omit<IndicatorChoice, 'kind'>>> = {
  vwap: { period: 'day', color: 3 },
  avwap: { color: 6 },
  ema: { length: 20, source: 'close', color: 1 },
  bollinger: { length: 20, deviations: 2, source: 'close', color: 8 },
  rsi: { length: 14, source: 'close', color: 5 },
  [COMPARE]: { market: '', color: 4 },
  [SPREAD]: { market: 'spot', color: 2 },
};
/** Kinds that may occur several times. */
const several: readonly string[] = ['ema'];
/** Names in earlier URLs. */
const earlier: Readonly<Record<string, string>> = { ema20: 'ema', ema50: 'ema_50_c4', ema200: 'ema_200_c6' };
export const LENGTH_MAX = 500;
const LENGTH_MIN = 2;
export const DEVIATIONS_MAX = 5;
const DEVIATIONS_MIN = 0.5;
const COIN = /^[A-Za-z0-9]{1,20}$/;

/** `ema_50_hlc3_c4`: the kind, then settings that differ from its defaults. */
export function printChoice({ kind, ...settings }: IndicatorChoice): string {
  const { length, deviations, source, period, color, market } = defaults[kind] ?? {};
  // A number is the length, a second one the deviations.
  const hasDeviations = settings.deviations !== deviations;
  const parts = [
    settings.length !== length || hasDeviations ? settings.length : undefined,
    hasDeviations ? settings.deviations : undefined,
    settings.source === source ? undefined : settings.source,
    settings.period === period ? undefined : settings.period,
    settings.market === market ? undefined : settings.market,
    settings.color === color || settings.color === undefined ? undefined : `c${settings.color}`,
  ];
  return [kind, ...parts.filter((part) => part !== undefined)].join('_');
}

/** The choice that a text of a URL describes; `undefined` if malformed. */
export function parseChoice(text: string): IndicatorChoice | undefined {
  const [kind = '', ...parts] = (earlier[text] ?? text).split('_');
  const known = defaults[kind];
  if (!(kind in indicatorNames) || (!known && parts.length > 0)) return undefined;
  let choice: IndicatorChoice = { kind, ...known };
  const numbers: number[] = [];
  for (const part of parts) {
    const source = priceSources.find((one) => one === part);
    const period = vwapPeriods.find((one) => one === part);
    const color = Number(part.slice(1));
    if (source && known?.source) choice = { ...choice, source };
    else if (period && known?.period) choice = { ...choice, period };
    else if (part.startsWith('c') && isLineColor(color)) choice = { ...choice, color };
    else if (known?.market !== undefined && (COIN.test(part) || MARKET_ID.test(part)))
      choice = { ...choice, market: part };
    else if (/^\d+(\.\d+)?$/.test(part)) numbers.push(Number(part));
    else return undefined;
  }
  const [length = choice.length, deviations = choice.deviations, more] = numbers;
  if (more !== undefined) return undefined;
  choice = {
    ...choice,
    ...(length !== undefined && { length }),
    ...(deviations !== undefined && { deviations }),
  };
  return isWithin(choice, known ?? {}) ? choice : undefined;
}

function isWithin(
  { length, deviations, market }: IndicatorChoice,
  known: Omit<IndicatorChoice, 'kind'>,
): boolean {
  if (market === '') return false;
  if ((length === undefined) !== (known.length === undefined)) return false;
  if ((deviations === undefined) !== (known.deviations === undefined)) return false;
  const isLength =
    length === undefined || (Number.isInteger(length) && length >= LENGTH_MIN && length <= LENGTH_MAX);
  return (
    isLength && (deviations === undefined || (deviations >= DEVIATIONS_MIN && deviations <= DEVIATIONS_MAX))
  );
}

/** The valid choices of a URL, in canonical form, without duplicates. */
export function parseChoices(text: string): readonly string[] {
  const found = text.split(',').flatMap((one) => parseChoice(one) ?? []);
  return [...new Set(found.map(printChoice))];
}

export function kindOf(text: string): string {
  return text.split('_')[0] ?? '';
}

/** Chosen indicators in the order of the menu. */
export function inOrder(texts: readonly string[]): readonly string[] {
  const kinds = Object.keys(indicatorNames);
  return [...new Set(texts)].toSorted((a, b) => kinds.indexOf(kindOf(a)) - kinds.indexOf(kindOf(b)));
}

/** Adds another of a kind that may occur several times, with its own colour and length. */
export function withAnother(texts: readonly string[], kind: string): readonly string[] {
  const own = texts.flatMap((text) => (kindOf(text) === kind ? (parseChoice(text) ?? []) : []));
  const first = parseChoice(kind);
  if (!first) return texts;
  const free = Object.keys(lineColors)
    .map(Number)
    .find((color) => !own.some((one) => one.color === color));
  const longest = Math.max(0, ...own.map(({ length = 0 }) => length));
  const length = own.length === 0 ? first.length : Math.min(LENGTH_MAX, Math.round(longest * 2.5));
  const another = { ...first, ...(length && { length }), ...(isLineColor(free) && { color: free }) };
  return inOrder([...texts, printChoice(another)]);
}

/** The text of a kind that is chosen for a chart of a coin: a comparison begins with another large one. */
export function firstChoice(kind: string, coin: string | undefined): string {
  return kind === COMPARE ? `${kind}_${coin === 'BTC' ? 'ETH' : 'BTC'}` : kind;
}

export function hasSettings(kind: string): boolean {
  return kind in defaults;
}

export function isSeveral(kind: string): boolean {
  return several.includes(kind);
}

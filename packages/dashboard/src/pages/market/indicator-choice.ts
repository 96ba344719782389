import { COMPARE, indicatorNames, SPREAD } from './indicator-names.ts';
import { isLineColor, type LineColor, lineColors } from './line-colors.ts';
import { MARKET_ID } from './market-choice.ts';

/** Prices of a bar that an indicator can be computed from. */
export const priceSources = ['close', 'open', 'high', 'low', 'hl2', 'hlc3', 'ohlc4'] as const;
export type PriceSource = (typeof priceSources)[number];
/** When a VWAP begins again. */
export const vwapPeriods = ['day', 'week', 'month'] as const;
export type VwapPeriod = (typeof vwapPeriods)[number];
/** Distances from the mid, in percent, that depth is recorded for. */
export const depthPercents = [0.25, 0.5, 1, 2] as const;
export type DepthPercent = (typeof depthPercents)[number];

/** An indicator with its settings. */
export interface IndicatorChoice {
  /** A name of `indicator-names.ts`. */
  readonly kind: string;
  readonly length?: number;
  /** Standard deviations, or multiples of a range. */
  readonly deviations?: number;
  /** The longer one of two lengths. */
  readonly slow?: number;
  /** Values that one line is the mean of, and the second line after it. */
  readonly smooth?: number;
  readonly signal?: number;
  readonly source?: PriceSource;
  readonly period?: VwapPeriod;
  readonly within?: DepthPercent;
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
  supertrend: { length: 10, deviations: 3 },
  macd: { length: 12, slow: 26, signal: 9, source: 'close', color: 1 },
  stoch: { length: 14, smooth: 3, signal: 3, color: 1 },
  stochrsi: { length: 14, smooth: 3, signal: 3, source: 'close', color: 4 },
  atr: { length: 14, color: 9 },
  bookdepth: { within: 1 },
  bookimbalance: { within: 1 },
  [COMPARE]: { market: '', color: 4 },
  [SPREAD]: { market: 'spot', color: 2 },
};
/** Kinds that may occur several times. */
const several: readonly string[] = ['ema'];
/** Names in earlier URLs. */
const earlier: Readonly<Record<string, string>> = { ema20: 'ema', ema50: 'ema_50_c4', ema200: 'ema_200_c6' };
const LENGTH_MAX = 500;

interface NumberRange {
  readonly min: number;
  readonly max: number;
  readonly step: number;
}

/** Numbers among the settings, in printing order. */
export const numberRanges = {
  length: { min: 2, max: LENGTH_MAX, step: 1 },
  deviations: { min: 0.5, max: 5, step: 0.5 },
  slow: { min: 2, max: LENGTH_MAX, step: 1 },
  smooth: { min: 1, max: 100, step: 1 },
  signal: { min: 1, max: 100, step: 1 },
} as const satisfies Readonly<Record<string, NumberRange>>;
export type NumberName = keyof typeof numberRanges;
const numberNames = Object.keys(numberRanges) as readonly NumberName[];

/** The numbers that can be set of an indicator. */
export function numbersOf(kind: string): readonly NumberName[] {
  return numberNames.filter((name) => defaults[kind]?.[name] !== undefined);
}
const COIN = /^[A-Za-z0-9]{1,20}$/;

/** `ema_50_hlc3_c4`: the kind, then settings that differ from its defaults. */
export function printChoice({ kind, ...settings }: IndicatorChoice): string {
  const known = defaults[kind] ?? {};
  const { source, period, within, color, market } = known;
  // Numbers are known by their order: those before one that differs are printed too.
  const names = numbersOf(kind);
  const last = names.findLastIndex((name) => settings[name] !== known[name]);
  const parts = [
    ...names.slice(0, last + 1).map((name) => settings[name] ?? known[name]),
    settings.source === source ? undefined : settings.source,
    settings.period === period ? undefined : settings.period,
    settings.within === within ? undefined : settings.within,
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
    const within = depthPercents.find((one) => String(one) === part);
    const color = Number(part.slice(1));
    if (source && known?.source) choice = { ...choice, source };
    else if (period && known?.period) choice = { ...choice, period };
    else if (within && known?.within) choice = { ...choice, within };
    else if (part.startsWith('c') && isLineColor(color) && (!known || known.color))
      choice = { ...choice, color };
    else if (known?.market !== undefined && (COIN.test(part) || MARKET_ID.test(part)))
      choice = { ...choice, market: part };
    else if (/^\d+(\.\d+)?$/.test(part)) numbers.push(Number(part));
    else return undefined;
  }
  const names = numbersOf(kind);
  if (numbers.length > names.length) return undefined;
  for (const [place, value] of numbers.entries()) choice = { ...choice, [names[place] as NumberName]: value };
  return isWithin(choice) ? choice : undefined;
}

function isWithin(choice: IndicatorChoice): boolean {
  if (choice.market === '') return false;
  // The longer length is the longer one.
  if (choice.slow !== undefined && choice.slow <= (choice.length ?? 0)) return false;
  return numbersOf(choice.kind).every((name) => {
    const { min, max, step } = numberRanges[name];
    const value = choice[name] ?? NaN;
    return value >= min && value <= max && (step < 1 || Number.isInteger(value));
  });
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

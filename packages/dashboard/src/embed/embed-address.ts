import type { Theme } from '../frame/preferences.svelte.ts';
import {
  barKinds,
  type ChartSpec,
  marketIntervals,
  shortIntervalOf,
  specOf,
} from '../pages/market/bar-kinds.ts';
import { kindOf, parseChoice, printChoice } from '../pages/market/indicator-choice.ts';
import { indicatorNames } from '../pages/market/indicator-names.ts';
import { MARKET_ID, type MarketChoice } from '../pages/market/market-choice.ts';

const PATH = '/embed/chart';
const themes: readonly Theme[] = ['dark', 'light'];
/** Parameters of every kind of bars. */
const barParams = [
  'kind',
  'interval',
  'days',
  'unit',
  ...barKinds.flatMap(({ params }) => params.map(({ name }) => name)),
];
const DEFAULT_MARKET = 'hyperliquid:BTC';

/** The parameters of an embedded chart. */
export interface EmbedChoice {
  /** Id of a market. */
  readonly market: string;
  readonly indicators: readonly string[];
  /** Where the anchored VWAP begins, in ms; 0: on Monday. */
  readonly anchorTs: number;
  /** Default: the system's preference. */
  readonly theme: Theme | undefined;
}

/** The address of a chart for other pages. */
export function embedAddress(
  origin: string,
  { market, indicators, anchorTs, theme }: EmbedChoice,
  spec: ChartSpec,
): string {
  const query = new URLSearchParams({ market });
  if ('interval' in spec) query.set('interval', spec.interval);
  else if (spec.kind === 'time') {
    query.set('interval', shortIntervalOf(spec) ?? '1m');
    query.set('days', String(spec.days ?? 1));
  } else {
    query.set('kind', spec.kind);
    for (const [name, value] of Object.entries(spec.params ?? {})) query.set(name, String(value));
    query.set('days', String(spec.days ?? 1));
  }
  if (indicators.length > 0) query.set('indicators', indicators.join(','));
  if (anchorTs > 0 && indicators.some((text) => kindOf(text) === 'avwap'))
    query.set('anchor', String(anchorTs));
  if (theme) query.set('theme', theme);
  return `${origin}${PATH}?${query.toString().replaceAll('%2C', ',').replaceAll('%3A', ':')}`;
}

/** The parameters of a URL, or what is wrong with it in a sentence. */
export function parseEmbed(query: URLSearchParams): EmbedChoice | { readonly error: string } {
  const allowed = ['market', 'indicators', 'anchor', 'theme', ...barParams];
  const unknown = [...query.keys()].find((name) => !allowed.includes(name));
  if (unknown !== undefined)
    return { error: `Unknown parameter ${unknown}; allowed: ${[...new Set(allowed)].join(', ')}.` };
  const market = query.get('market') ?? DEFAULT_MARKET;
  if (!MARKET_ID.test(market)) return { error: `market must be an id such as ${DEFAULT_MARKET}.` };
  const kind = query.get('kind');
  const kinds = barKinds.map(({ name }) => name);
  if (kind !== null && !kinds.some((name) => name === kind)) return { error: oneOf('kind', kinds) };
  const interval = query.get('interval');
  if (interval !== null && !marketIntervals.some((one) => one === interval))
    return { error: oneOf('interval', marketIntervals) };
  const chosen = (query.get('indicators') ?? '').split(',').filter(Boolean).map(parseChoice);
  const indicators = chosen.flatMap((choice) => (choice ? [printChoice(choice)] : []));
  if (indicators.length < chosen.length)
    return { error: `${oneOf('indicators', Object.keys(indicatorNames))} Settings follow: ema_50.` };
  const anchorTs = Number(query.get('anchor') ?? 0);
  if (!Number.isSafeInteger(anchorTs) || anchorTs < 0)
    return { error: 'anchor must be a time in milliseconds since the Unix epoch.' };
  const given = query.get('theme');
  const theme = themes.find((one) => one === given);
  if (given !== null && !theme) return { error: oneOf('theme', themes) };
  return { market, indicators, anchorTs, theme };
}

/** The bars that a URL requests, or what is missing. */
export function embedSpec(
  market: MarketChoice,
  query: URLSearchParams,
): ChartSpec | { readonly error: string } {
  const kind = barKinds.find(({ name }) => name === query.get('kind'));
  const names = kind?.params.map(({ name }) => name).join(', ');
  return specOf(market, query, undefined) ?? { error: `${kind?.title} bars need a size: give ${names}.` };
}

function oneOf(name: string, values: readonly string[]): string {
  return `${name} must be one of ${values.join(', ')}.`;
}

/** Put into a page, it shows the chart. */
export function embedCode(address: string, title: string): string {
  const attribute = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  return `<iframe src="${attribute(address)}" title="${attribute(title)}" width="800" height="480" loading="lazy" style="border:0"></iframe>`;
}

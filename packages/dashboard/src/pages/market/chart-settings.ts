import { barKinds } from './bar-kinds.ts';

/** Settings of a chart in the address. */
export interface ChartSettings {
  /** The coin that they were made for. */
  readonly coin: string;
  /** As a query: `interval=1h&ind=rsi`; empty: all are defaults. */
  readonly query: string;
}

const params = barKinds.flatMap((kind) => kind.params);
/** Those that suit every coin. */
const commonNames = ['kind', 'interval', 'ind', 'scale', 'anchor', 'days'];
const settingNames = [...commonNames, ...params.map(({ name }) => name)];
/** Dollars and ticks of one coin are no size for another. */
const coinNames = params.filter(({ unit }) => unit === '$' || unit === 'ticks').map(({ name }) => name);

export function isChartSettings(value: unknown): value is ChartSettings {
  if (typeof value !== 'object' || value === null) return false;
  const { coin, query } = value as Record<string, unknown>;
  return typeof coin === 'string' && typeof query === 'string';
}

/** The settings of an address. */
export function settingsIn(coin: string, query: URLSearchParams): ChartSettings {
  return {
    coin,
    query: new URLSearchParams([...query].filter(([name]) => settingNames.includes(name))).toString(),
  };
}

/** The parameters of an address that gives a chart of a coin these settings. */
export function settingsFor(coin: string, settings: ChartSettings): Readonly<Record<string, string>> {
  const all = [...new URLSearchParams(settings.query)];
  return Object.fromEntries(coin === settings.coin ? all : all.filter(([name]) => !coinNames.includes(name)));
}

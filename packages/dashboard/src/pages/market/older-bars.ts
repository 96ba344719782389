import type { Schemas } from '@crosstape/client';
import { type BuildSpec, candleBar, candleIntervalsMs, type CandleSpec } from '@crosstape/client/bars';
import { ask, askBars } from '../../live/line.ts';
import type { Bar } from '../../live/topic.ts';
import type { ChartSpec } from './bar-kinds.ts';
import type { MarketChoice } from './market-choice.ts';

type RecordedMarket = Pick<Schemas['RecordedMarket'], 'market' | 'kind' | 'firstTs'>;

/** Candles of an answer. */
const CANDLES = 1_000;
/** Seconds of a page: intervals of this number, whether or not they have a bar. */
const INTERVALS = 7_200;

/** Bars before those of a chart. */
interface OlderPage {
  /** The last one may be the first of the chart, which began with the build. */
  readonly bars: readonly Bar[];
  /** End of the next older page; null: there is none. */
  readonly nextEnd: number | null;
}

/** The bars before the first one of a chart. */
interface OlderPlace {
  readonly market: MarketChoice;
  readonly firstTs: number;
  /** From the previous page; the first one has none. */
  readonly nextEnd: number | undefined;
  readonly signal: AbortSignal;
}

/** Loads the page before the first bar; `undefined`: such bars have no older ones, as each depends on the previous one. */
export function olderBars(spec: ChartSpec): ((place: OlderPlace) => Promise<OlderPage>) | undefined {
  if ('interval' in spec) return (place) => olderCandles(spec, place);
  const intervalMs = Number(spec.params?.intervalMs);
  return spec.kind === 'time' ? (place) => olderSeconds(spec, intervalMs, place) : undefined;
}

async function olderCandles(
  { market, interval }: CandleSpec,
  { firstTs, nextEnd, signal }: OlderPlace,
): Promise<OlderPage> {
  const query = { market, interval, end: nextEnd ?? firstTs, limit: CANDLES };
  const { data, meta } = await ask('/candles', query, signal);
  // A page without candles may be in a gap: older ones exist until the service says that there are none.
  return { bars: data.map((row) => candleBar(row, candleIntervalsMs[interval])), nextEnd: meta.nextEnd };
}

async function olderSeconds(
  spec: BuildSpec,
  intervalMs: number,
  { market, firstTs, nextEnd, signal }: OlderPlace,
): Promise<OlderPage> {
  const { data } = await ask('/markets/recorded', { coin: market.coin }, signal);
  const window = secondsBefore({ firstTs, nextEnd, intervalMs, recordTs: recordStart(market.id, data) });
  if (!window) return { bars: [], nextEnd: null };
  const { from, to } = window;
  const { days: _, ...rest } = spec;
  const bars = await askBars({ ...rest, from, to, degraded: false }, signal);
  return { bars, nextEnd: window.isLast ? null : from };
}

interface SecondsPlace extends Pick<OlderPlace, 'firstTs' | 'nextEnd'> {
  readonly intervalMs: number;
  readonly recordTs: number;
}

/**
 * The time of the page before the first bar; `undefined`: the record begins later. The first page ends with the first
 * bar, whose trades before the build are missing.
 */
export function secondsBefore({
  firstTs,
  nextEnd,
  intervalMs,
  recordTs,
}: SecondsPlace): { readonly from: number; readonly to: number; readonly isLast: boolean } | undefined {
  if (recordTs >= (nextEnd ?? firstTs)) return undefined;
  const to = nextEnd ?? firstTs + intervalMs;
  const from = Math.max(0, to - INTERVALS * intervalMs);
  return { from, to, isLast: from <= recordTs };
}

/** When the record of a market begins, of several the first one. */
export function recordStart(id: string, recorded: readonly RecordedMarket[]): number {
  const prefix = id.slice(0, id.indexOf(':'));
  const own = recorded.filter(({ market, kind }) => market === id || prefix === 'all' || prefix === kind);
  return Math.min(...own.flatMap(({ firstTs }) => firstTs ?? []));
}

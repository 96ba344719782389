import { type Bar, DAY_MS, intervalStart } from '@crosstape/core';
import type { Client, FollowOptions } from '../client.ts';
import { ApiError, Unreachable } from '../errors.ts';
import { barOf, type DatafeedBar, type DatafeedHistory, type TapeSeries } from './datafeed-history.ts';
import type { ChartSeries } from './datafeed-symbol.ts';
import { liveBars } from './live-bars.ts';
import { liveCandles } from './live-candles.ts';

/** A chart update: new bars, oldest first, or a request to reload. */
export interface ChartUpdate {
  readonly bars: readonly DatafeedBar[];
  readonly isReset: boolean;
}

/** How often sums over several markets are polled. */
const AGGREGATE_EVERY_MS = 2_000;
const TOO_MANY = 429;

/** Whether the same request may succeed later: the service is busy, restarts, or cannot be reached. */
export function isTransient(error: unknown): boolean {
  if (error instanceof ApiError) return error.status >= 500 || error.status === TOO_MANY;
  return error instanceof Unreachable;
}

/** Live bars of a chart. */
export function liveChart(
  client: Client,
  history: DatafeedHistory,
  series: ChartSeries,
  options: FollowOptions,
): AsyncGenerator<ChartUpdate, void, undefined> {
  if ('bars' in series) return liveTapeBars(client, history, series, options);
  return series.isAggregate ? polledCandles(client, series, options) : candles(client, series, options);
}

type CandleSeries = Extract<ChartSeries, { interval: string }>;

async function* candles(client: Client, { market, interval }: CandleSeries, options: FollowOptions) {
  for await (const live of liveCandles(client, { market, interval, limit: 2 }, options)) {
    const { closed, open, amended } = live;
    const bars = (open ? [...closed, open] : closed).map((bar) => barOf(bar.openTs, bar));
    yield { bars, isReset: amended.length > 0 };
  }
}

/** An aggregate has no trade stream to follow. */
async function* polledCandles(client: Client, { market, interval }: CandleSeries, options: FollowOptions) {
  for (;;) {
    const { data } = await client
      .get('/candles', { market, interval, limit: 2 }, options)
      .catch((error: unknown) => {
        if (!isTransient(error) || options.signal?.aborted) throw error;
        // The service or its proxy restarts: the next request may succeed.
        return { data: [] };
      });
    yield { bars: data.map(({ ts, ...row }) => barOf(ts, row)), isReset: false };
    await client.wait(AGGREGATE_EVERY_MS, options);
  }
}

/** The bars of each day begin again at 00:00 UTC: a chart then loads them again. */
async function* liveTapeBars(
  client: Client,
  history: DatafeedHistory,
  { market, bars }: TapeSeries,
  options: FollowOptions,
): AsyncGenerator<ChartUpdate, void, undefined> {
  let from = await history.dayBefore(market, client.now() + DAY_MS);
  while (from !== undefined) {
    const end: number = from + DAY_MS;
    let nextDay: number | undefined;
    const spec = { market, ...bars, from, degraded: false };
    /** The first second that no bar has. */
    let free = 0;
    const timed = (bar: Bar): DatafeedBar =>
      barOf(Math.max(Math.floor(bar.openTs / 1_000), free) * 1_000, bar);
    for await (const { closed, open, amended } of liveBars(client, spec, options)) {
      const newest = open ?? closed.at(-1);
      if (newest && newest.closeTs >= end) {
        nextDay = intervalStart(newest.closeTs, DAY_MS);
        break;
      }
      const shown = closed.map((bar) => {
        const one = timed(bar);
        free = one.time / 1_000 + 1;
        return one;
      });
      yield { bars: open ? [...shown, timed(open)] : shown, isReset: amended.length > 0 };
    }
    if (nextDay !== undefined) yield { bars: [], isReset: true };
    from = nextDay;
  }
}

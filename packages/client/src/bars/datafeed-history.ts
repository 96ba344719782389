import { barAt, barSeconds, candleIntervalsMs, DAY_MS, intervalStart, type NamedBars } from '@crosstape/core';
import type { Client } from '../client.ts';
import { buildBars } from './build-bars.ts';
import type { ChartSeries } from './datafeed-symbol.ts';

/** A bar as TradingView's charting library takes it: `time` in milliseconds, volume in coins. */
export interface DatafeedBar {
  readonly time: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
}

/** In seconds; `to` is not included. */
export interface DatafeedPeriod {
  readonly from: number;
  readonly to: number;
  readonly countBack: number;
}

export interface TapeSeries {
  readonly market: string;
  readonly bars: NamedBars;
}

const BARS_MAX = 10_000;
/** Days of bars built for one request: charts request older ones separately. */
const DAYS_PER_REQUEST = 3;
/** Past days that are cached. */
const DAYS_MAX = 16;
/** A day's trades are all on the tape this long after its end. */
const LATE_MS = 60_000;

export function barOf(
  time: number,
  { open, high, low, close, volume }: Omit<DatafeedBar, 'time'>,
): DatafeedBar {
  return { time, open, high, low, close, volume };
}

/** Reads the bars of charts: candles, and bars that the service builds from its tape, day by day. */
export class DatafeedHistory {
  readonly #client: Client;
  readonly #days = new Map<string, readonly DatafeedBar[]>();

  constructor(client: Client) {
    this.#client = client;
  }

  /**
   * The bars of a period, plus earlier ones if the chart counts back; if there are none, the time of the newest older
   * bar.
   */
  async read(
    series: ChartSeries,
    { from, to, countBack }: DatafeedPeriod,
  ): Promise<{ readonly bars: readonly DatafeedBar[]; readonly nextTime?: number }> {
    const range = { from: from * 1_000, to: Math.max(1, to * 1_000), countBack };
    const found =
      'interval' in series ? await this.#candles(series, range) : await this.#tapeBars(series, range);
    const firstWanted = found.length - countBack;
    const bars = found.filter(({ time }, i) => time >= range.from || i >= firstWanted);
    const older = found.at(-1);
    return bars.length === 0 && older ? { bars, nextTime: older.time / 1_000 } : { bars };
  }

  /** Start of the newest day with recorded trades before a time. */
  async dayBefore(market: string, end: number): Promise<number | undefined> {
    const { data } = await this.#client.get('/candles', { market, interval: '1m', end, limit: 1 });
    const [newest] = data;
    return newest?.origin === 'tape' ? intervalStart(newest.ts, DAY_MS) : undefined;
  }

  async #candles(
    { market, interval }: Extract<ChartSeries, { interval: string }>,
    { from, to: end, countBack }: DatafeedPeriod,
  ): Promise<readonly DatafeedBar[]> {
    const wanted = Math.ceil((end - from) / candleIntervalsMs[interval]) + 1;
    const limit = Math.min(BARS_MAX, Math.max(1, countBack, wanted));
    const { data } = await this.#client.get('/candles', { market, interval, end, limit });
    return data.map(({ ts, ...row }) => barOf(ts, row));
  }

  async #tapeBars(
    series: TapeSeries,
    { from, to, countBack }: DatafeedPeriod,
  ): Promise<readonly DatafeedBar[]> {
    let bars: readonly DatafeedBar[] = [];
    for (let days = 0, end = to; days < DAYS_PER_REQUEST; days += 1) {
      const startMs = await this.dayBefore(series.market, end);
      if (startMs === undefined) break;
      const day = await this.#day(series, startMs);
      bars = [...day.filter(({ time }) => time < to), ...bars];
      if (startMs <= from && bars.length >= Math.max(1, countBack)) break;
      end = startMs;
    }
    return bars;
  }

  async #day({ market, bars }: TapeSeries, startMs: number): Promise<readonly DatafeedBar[]> {
    const key = JSON.stringify([market, bars, startMs]);
    const known = this.#days.get(key);
    if (known) return known;
    const isOver = this.#client.now() > startMs + DAY_MS + LATE_MS;
    const spec = { market, ...bars, from: startMs, to: startMs + DAY_MS, degraded: false };
    const pack = await buildBars(this.#client, spec);
    const closed = Array.from({ length: pack.bars.length }, (_, i) => barAt(pack.bars, i));
    const all = pack.open ? [...closed, pack.open] : closed;
    const openTs = all.map((bar) => bar.openTs);
    const seconds = barSeconds(openTs, all.length, startMs);
    const day = all.map((bar, i) => barOf(seconds[i]! * 1_000, bar));
    if (!isOver) return day;
    this.#days.set(key, day);
    for (const oldest of this.#days.keys()) {
      if (this.#days.size <= DAYS_MAX) break;
      this.#days.delete(oldest);
    }
    return day;
  }
}

import {
  type CandleInterval,
  candleIntervalsMs,
  type CandleRow,
  DAY_MS,
  intervalStart,
} from '@crosstape/core';
import { type BarList, firstPosition, JoinedDays, type TapeBar } from './day-bars.ts';
import { CANDLES_PER_READ, type IntegrationVisit, inHistoryTurn, wholeParam } from './integration-page.ts';
import type { TapeBars, TapeSeries } from './tape-bars.ts';
import { candlesBefore, rangeOf, type UdfRange } from './udf-series.ts';

const BARS_MAX = 10_000;
/** Days of bars made for one request: charts request older ones separately. */
const DAYS_PER_REQUEST = 3;

/** A bar of a chart; `time` in seconds. */
type UdfBar = Omit<TapeBar, 'openTs'>;

/** The bars of a range; with `countback` at least that many, reaching back past `from`. */
export async function readHistory(visit: IntegrationVisit, tape: TapeBars) {
  const range = rangeOf(visit);
  const countBack = wholeParam(visit.params, 'countback') ?? 0;
  const { market, from, to, series } = range;
  const found: BarList<UdfBar> =
    'interval' in series
      ? await readCandles(visit, range, series.interval, countBack)
      : await readTapeBars(visit, tape, { market, bars: series.bars }, { from, to, countBack });
  const { length } = found;
  const firstInRange = firstPosition(found, ({ time }) => time * 1_000 >= from);
  const first = Math.max(0, length - BARS_MAX, Math.min(firstInRange, length - countBack));
  const rows = Array.from({ length: length - first }, (_, i) => found.at(first + i)!);
  const older = length > 0 ? found.at(length - 1) : undefined;
  if (rows.length === 0) return { s: 'no_data', ...(older && { nextTime: older.time }) };
  return {
    s: 'ok',
    t: rows.map(({ time }) => time),
    o: rows.map(({ open }) => open),
    h: rows.map(({ high }) => high),
    l: rows.map(({ low }) => low),
    c: rows.map(({ close }) => close),
    v: rows.map(({ volume }) => volume),
  };
}

async function readCandles(
  visit: IntegrationVisit,
  { market, from, to }: UdfRange,
  interval: CandleInterval,
  countBack: number,
): Promise<readonly UdfBar[]> {
  const wanted = Math.ceil((to - from) / candleIntervalsMs[interval]) + 2;
  const limit = Math.min(Math.max(countBack, wanted), BARS_MAX);
  const read = (): Promise<readonly CandleRow[]> => candlesBefore(visit, { market, interval, limit }, to);
  const rows = await (limit > CANDLES_PER_READ ? inHistoryTurn(visit.context, read) : read());
  return rows.map(({ ts, ...row }) => ({ ...row, time: ts / 1_000 }));
}

/** Bars before `to`: from the day of `from` on if that is near, and of older days while there are too few. */
export async function readTapeBars(
  visit: IntegrationVisit,
  tape: TapeBars,
  series: TapeSeries,
  { from, to, countBack }: { readonly from: number; readonly to: number; readonly countBack: number },
): Promise<BarList<TapeBar>> {
  const bars = new JoinedDays();
  for (let days = 0, end = to; days < DAYS_PER_REQUEST; days += 1) {
    const startMs = await dayBefore(visit, tape, series, end);
    if (startMs === undefined) break;
    bars.prepend(await tape.day(visit, series, startMs), to);
    if (startMs <= from && bars.length >= Math.max(1, countBack)) break;
    end = startMs;
  }
  return bars;
}

/** Start of the newest day with recorded trades before a time. */
async function dayBefore(
  visit: IntegrationVisit,
  tape: TapeBars,
  series: TapeSeries,
  endMs: number,
): Promise<number | undefined> {
  const last = intervalStart(endMs - 1, DAY_MS);
  if (tape.has(series, last)) return last;
  const [newest] = await candlesBefore(visit, { market: series.market, interval: '1m', limit: 1 }, endMs);
  return newest?.origin === 'tape' ? intervalStart(newest.ts, DAY_MS) : undefined;
}

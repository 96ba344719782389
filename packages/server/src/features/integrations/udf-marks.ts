import { type CandleInterval, candleIntervalsMs, intervalStart } from '@crosstape/core';
import { LATE_REASON } from '../tape/late-minutes.ts';
import { firstPosition } from './day-bars.ts';
import type { IntegrationVisit } from './integration-page.ts';
import type { TapeBars } from './tape-bars.ts';
import { readTapeBars } from './udf-history.ts';
import { rangeOf, type UdfRange } from './udf-series.ts';

interface MarkRange {
  readonly market: string;
  readonly interval: CandleInterval;
  readonly from: number;
  readonly to: number;
}

type Kind = 'gaps' | 'liquidations' | 'whales';
const kinds: readonly Kind[] = ['gaps', 'whales', 'liquidations'];

interface Mark {
  readonly id: string;
  readonly ts: number;
  readonly color: 'red' | 'green' | 'yellow';
  readonly label: string;
  readonly text: string;
}

/** A row of `/coverage`. */
interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly state: string;
  readonly reason?: string;
}

/** Charts show no more than this per bar. */
const MARKS_PER_BAR = 10;
const EVENTS_MAX = 1_000;
const MARKS_MAX = 2_000;
const MARK_USD_MIN = 100_000;

/** Gaps of the tape, large prints and liquidations of a range, in columns, each at the start of its bar. */
export async function readMarks(visit: IntegrationVisit, tape: TapeBars, wanted: readonly Kind[] = kinds) {
  const { series, ...times } = rangeOf(visit);
  const range = { ...times, interval: 'interval' in series ? series.interval : ('1m' as const) };
  const barOf = await barTimes(visit, tape, { ...times, series });
  const found = await Promise.all(wanted.map((kind) => readers[kind](visit, range)));
  const perBar = new Map<number, number>();
  const shown = found.flat().flatMap((mark) => {
    const time = barOf(mark.ts);
    if (time === undefined) return [];
    const count = perBar.get(time) ?? 0;
    perBar.set(time, count + 1);
    return count < MARKS_PER_BAR ? [{ ...mark, time }] : [];
  });
  const marks = shown.slice(0, MARKS_MAX);
  return {
    id: marks.map(({ id }) => id),
    time: marks.map(({ time }) => time),
    color: marks.map(({ color }) => color),
    text: marks.map(({ text }) => text),
    label: marks.map(({ label }) => label),
    labelFontColor: 'white',
    minSize: 14,
  };
}

/** The start of the bar that contains a time, in seconds; `undefined` if there is none. */
async function barTimes(
  visit: IntegrationVisit,
  tape: TapeBars,
  { market, from, to, series }: UdfRange,
): Promise<(ts: number) => number | undefined> {
  if ('interval' in series) {
    const intervalMs = candleIntervalsMs[series.interval];
    return (ts) => intervalStart(ts, intervalMs) / 1_000;
  }
  const bars = await readTapeBars(visit, tape, { market, bars: series.bars }, { from, to, countBack: 0 });
  return (ts) => {
    const next = firstPosition(bars, ({ openTs }) => openTs > ts);
    return next > 0 ? bars.at(next - 1)?.time : undefined;
  };
}

const readers: Readonly<
  Record<Kind, (visit: IntegrationVisit, range: MarkRange) => Promise<readonly Mark[]>>
> = {
  gaps: readGaps,
  liquidations: readLiquidations,
  whales: readPrints,
};

async function readGaps({ rest, context }: IntegrationVisit, { market, from, to }: MarkRange) {
  const end = Math.min(to, context.nowMs);
  // All markets of a coin together have no tape of their own.
  if (isAggregate(market) || from >= end) return [];
  const { data } = await rest.get<readonly Stretch[]>('/coverage', { market, from, to: end });
  return data
    .filter(({ state }) => state === 'missing' || state === 'partial')
    .map(
      (gap): Mark => ({
        id: `gap-${gap.from}`,
        ts: Math.max(gap.from, from),
        color: 'yellow',
        label: 'G',
        text: gapText(gap),
      }),
    );
}

export function gapText({ from, to, state, reason = '' }: Stretch): string {
  if (reason === LATE_REASON) return `No trade is missing, but ${LATE_REASON}.`;
  const seconds = Math.round((to - from) / 1_000);
  return `Trades ${state === 'missing' ? 'are' : 'may be'} missing for ${seconds} s. ${reason}`.trim();
}

async function readPrints({ rest }: IntegrationVisit, { market, from, to }: MarkRange) {
  if (isAggregate(market)) return [];
  type Print = { ts: number; side: string; notionalUsd: number; price: number; tid?: number };
  const query = { market, sinceMs: from, minUsd: MARK_USD_MIN, limit: EVENTS_MAX };
  const { data } = await rest.get<readonly Print[]>('/perps/whales', query);
  return data
    .filter(({ ts }) => ts < to)
    .map(
      ({ ts, side, notionalUsd, price, tid = 0 }): Mark => ({
        id: `print-${ts}-${tid}`,
        ts,
        color: side === 'buy' ? 'green' : 'red',
        label: side === 'buy' ? 'B' : 'S',
        text: `Taker order: ${side} of $${Math.round(notionalUsd)} at ${price}`,
      }),
    );
}

async function readLiquidations({ rest }: IntegrationVisit, { market, interval, from, to }: MarkRange) {
  type Row = { ts: number; liqLongUsd: number; liqShortUsd: number };
  const query = { market, interval, start: from, end: to, limit: EVENTS_MAX };
  if (from >= to) return [];
  const { data } = await rest.get<readonly Row[]>('/candles', query);
  return data
    .filter(({ liqLongUsd, liqShortUsd }) => liqLongUsd + liqShortUsd >= MARK_USD_MIN)
    .map(
      ({ ts, liqLongUsd, liqShortUsd }): Mark => ({
        id: `liquidations-${ts}`,
        ts,
        color: liqLongUsd > liqShortUsd ? 'red' : 'green',
        label: 'L',
        text: `Liquidated: longs $${Math.round(liqLongUsd)}, shorts $${Math.round(liqShortUsd)}`,
      }),
    );
}

function isAggregate(market: string): boolean {
  return /^(perp|spot|all):/.test(market);
}

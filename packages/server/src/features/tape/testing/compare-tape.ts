import { ManualClock } from '@crosstape/core';
import type { MarketTrade } from '../../../ingest/testing/market-venue.ts';
import { LocalBus } from '../../../platform/local-bus.ts';
import type { Store } from '../../../store/store.ts';
import { coverageOf, firstAfter } from '../coverage.ts';
import { GapLedger } from '../gap-ledger.ts';
import { recordedTicks } from '../recorded-ticks.ts';
import { createTapeReader } from '../tape-reader.ts';
import { TickTable } from '../tick-table.ts';

/** A trade that is released after an outage is this much later on the tape at most. */
const LATE_MS = 14 * 3_600_000;
/** How many trades of a kind are named. */
const NAMED_MAX = 5;

export interface TapeComparison {
  readonly made: number;
  readonly recorded: number;
  /** Not recorded, in a reported gap. */
  readonly reported: number;
  /** Share of the time of all coins that is reported as a gap. */
  readonly gapShare: number;
  /** Not recorded, in time that is called complete. */
  readonly unreported: readonly string[];
  /** Recorded twice. */
  readonly doubled: readonly string[];
}

/** Compares the recorded tape and its coverage with the trades of the market. */
export async function compareTape(
  store: Store,
  trades: ReadonlyMap<string, readonly MarketTrade[]>,
  fromMs: number,
  toMs: number,
): Promise<TapeComparison> {
  const ledger = new GapLedger(store);
  const spans = await ledger.spans(fromMs, toMs);
  const counts = { made: 0, recorded: 0, reported: 0, gapMs: 0 };
  const unreported: string[] = [];
  const doubled: string[] = [];
  for (const [coin, made] of trades) {
    const taped = await recordedIds(store, coin, fromMs, toMs + LATE_MS);
    const gaps = await ledger.gaps(coin, fromMs, toMs);
    const stretches = coverageOf({ from: fromMs, to: toMs, spans, gaps });
    const isGap = (state: string | undefined): boolean => state === 'missing' || state === 'partial';
    for (const { from, to, state } of stretches) if (isGap(state)) counts.gapMs += to - from;
    for (const { ts, tid } of made) {
      counts.made += 1;
      const times = taped.get(`${ts} ${tid}`) ?? 0;
      const name = `${coin} ${tid} at ${new Date(ts).toISOString()}`;
      if (times > 0) counts.recorded += 1;
      else if (isGap(stretches[firstAfter(stretches, ts)]?.state)) counts.reported += 1;
      else unreported.push(name);
      if (times > 1) doubled.push(name);
    }
  }
  const { gapMs, ...rest } = counts;
  const gapShare = gapMs / ((toMs - fromMs) * trades.size);
  return { ...rest, gapShare, unreported: firstOf(unreported), doubled: firstOf(doubled) };
}

/** How often each trade is on the tape, by venue time and id. */
async function recordedIds(
  store: Store,
  coin: string,
  fromMs: number,
  toMs: number,
): Promise<ReadonlyMap<string, number>> {
  const reader = createTapeReader({ table: new TickTable(store), bus: new LocalBus(new ManualClock(0)) });
  const times = new Map<string, number>();
  for await (const { columns, ids } of recordedTicks(reader, coin, fromMs, toMs))
    for (let i = 0; i < columns.length; i += 1) {
      const name = `${(columns.ts[i] as number) - (ids.lateMs[i] as number)} ${ids.tid[i]}`;
      times.set(name, (times.get(name) ?? 0) + 1);
    }
  return times;
}

function firstOf(names: readonly string[]): readonly string[] {
  const left = names.length - NAMED_MAX;
  return left > 0 ? [...names.slice(0, NAMED_MAX), `and ${left} more`] : names;
}

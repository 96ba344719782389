import { firstAfter, type Stretch } from '../tape/coverage.ts';
import type { CoinGap } from '../tape/tape-coverage.ts';
import type { ChosenTape } from './chosen-tape.ts';
import { countTrades } from './count-trades.ts';
import type { RecordedTape } from './market-reader.ts';
import type { StoredMarket } from './market-table.ts';

/** An interval of a tape with one state, its reason, and what is known of its trades. */
export interface CoverageRow extends Stretch {
  readonly reason?: string;
  readonly method?: 'count' | 'socket';
  readonly recordedTrades?: number;
  readonly expectedTrades?: number;
}

/** The intervals of a tape within a range. */
export async function coverageRows(
  { coin, coverage, secondary }: Pick<ChosenTape, 'coin' | 'coverage' | 'secondary'>,
  from: number,
  to: number,
): Promise<readonly CoverageRow[]> {
  const gaps = await coverage.gaps(coin, from, to);
  const rows = withReasons(await coverage.stretches(coin, from, to), gaps);
  return secondary ? withCounts(rows, gaps, secondary) : rows;
}

/** The intervals with the reasons of their gaps. */
function withReasons(stretches: readonly Stretch[], gaps: readonly CoinGap[]): readonly CoverageRow[] {
  const reasons = stretches.map(() => new Set<string>());
  for (const { from, to, state, reason } of gaps) {
    for (let i = firstAfter(stretches, from); (stretches[i]?.from ?? Infinity) < to; i += 1) {
      if (stretches[i]?.state === state) reasons[i]?.add(reason);
    }
  }
  return stretches.map((stretch, i) => {
    const reported = [...(reasons[i] ?? [])];
    return reported.length === 0 ? stretch : { ...stretch, reason: reported.join('; ') };
  });
}

/** The stretches of a market with its recorded trades, and where these are numbered, with those that there were. */
async function withCounts(
  rows: readonly CoverageRow[],
  gaps: readonly CoinGap[],
  { market, ...recorded }: RecordedTape & { readonly market: StoredMarket },
): Promise<readonly CoverageRow[]> {
  const counts = await countTrades(recorded, market.symbol, rows);
  const known = missedTrades(rows, gaps);
  return rows.map((row, i) => {
    const recordedTrades = counts[i] ?? 0;
    if (!market.isCounted) return { ...row, method: 'socket' as const, recordedTrades };
    const { missing, isKnown } = known[i] as MissedTrades;
    const isWhole = row.state === 'complete' || row.state === 'refilled';
    if (!isWhole && !isKnown) return { ...row, method: 'count' as const, recordedTrades };
    return { ...row, method: 'count' as const, recordedTrades, expectedTrades: recordedTrades + missing };
  });
}

interface MissedTrades {
  readonly missing: number;
  /** False before the record begins, and where a gap was not counted. */
  readonly isKnown: boolean;
}

/** How many trades of each interval are missing according to its gaps. A gap is counted where it begins. */
function missedTrades(rows: readonly Stretch[], gaps: readonly CoinGap[]): readonly MissedTrades[] {
  const found = rows.map(() => ({ missing: 0, hasCount: false, hasUncounted: false }));
  for (const { from, to, late, state, missing } of gaps) {
    const first = firstAfter(rows, from);
    for (let i = first; (rows[i]?.from ?? Infinity) < to; i += 1) {
      const row = found[i];
      if (!row) break;
      if (!late && state !== 'refilled' && missing === undefined) row.hasUncounted = true;
      const isBegin = (rows[i]?.from ?? Infinity) <= from;
      // Late trades are on the tape, in another place.
      if (late || (isBegin && missing !== undefined)) row.hasCount = true;
      if (isBegin) row.missing += missing ?? 0;
    }
  }
  return found.map(({ missing, hasCount, hasUncounted }) => ({
    missing,
    isKnown: hasCount && !hasUncounted,
  }));
}

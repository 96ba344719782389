import { firstAfter, type Stretch } from '../tape/coverage.ts';
import type { CoinGap } from '../tape/tape-coverage.ts';
import type { ChosenTape } from './chosen-tape.ts';
import { countTrades } from './count-trades.ts';
import type { RecordedTape } from './market-reader.ts';
import type { StoredMarket } from './market-table.ts';

/** An interval of a tape with one state, why, and what is known of its trades. */
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
  return rows.map((row, i) => {
    const recordedTrades = counts[i] ?? 0;
    if (!market.isCounted) return { ...row, method: 'socket' as const, recordedTrades };
    // A gap is counted where it begins. Before the record begins, nothing is known to be missing or not.
    const own = gaps.filter(({ from }) => from >= row.from && from < row.to);
    const isWhole = row.state === 'complete' || row.state === 'refilled';
    const overlapping = gaps.filter(({ from, to }) => from < row.to && to > row.from);
    const isCounted = overlapping.every(
      ({ late, state, missing }) => late || state === 'refilled' || missing !== undefined,
    );
    // Late trades are on the tape, in another place.
    const isMoved = overlapping.some(({ late }) => late);
    if (!isWhole && !(isCounted && (isMoved || own.some((gap) => gap.missing !== undefined))))
      return { ...row, method: 'count' as const, recordedTrades };
    const missing = own.reduce((sum, gap) => sum + (gap.missing ?? 0), 0);
    return { ...row, method: 'count' as const, recordedTrades, expectedTrades: recordedTrades + missing };
  });
}

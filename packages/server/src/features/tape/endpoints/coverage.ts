import { Type } from 'typebox';
import { firstAfter, type Stretch } from '../coverage.ts';
import type { CoinGap } from '../tape-coverage.ts';
import { chosenTape, feedOf, marketParameter } from '../../market-tape/chosen-tape.ts';
import { countTrades } from '../../market-tape/count-trades.ts';
import type { RecordedTape } from '../../market-tape/market-reader.ts';
import type { StoredMarket } from '../../market-tape/market-table.ts';
import { coinName } from '../../../http/parameter.ts';
import { readTapeRange } from '../tape-range.ts';
import { CoverageStretch, recordingMeta } from '../schema.ts';
import { tapeMeta } from '../tape-meta.ts';
import { endpoint } from '../../context.ts';

/** The present moves on: an answer is reused for this long whatever its cache time. */
const REUSE_MS = 1_000;

export const coverage = endpoint({
  path: '/coverage',
  summary: 'How complete the tape is',
  description:
    'The recorded tape of a coin as intervals of one state each, without gaps between them. Completeness comes from when the feed was up, never from counts of trades. The future is not covered.',
  query: Type.Object({
    coin: Type.Optional(
      coinName({ description: 'Ticker, in any case. Required without `market`.', examples: ['BTC'] }),
    ),
    market: marketParameter,
    from: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'Start in milliseconds since the Unix epoch. Omitted: 24 hours before now.',
        examples: [1_789_913_600_000],
      }),
    ),
    to: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'End in milliseconds since the Unix epoch, not included. Omitted: now.',
        examples: [1_790_000_000_000],
      }),
    ),
  }),
  data: Type.Array(CoverageStretch),
  meta: recordingMeta,
  cacheSeconds: 10,
  examples: [{ summary: 'The last 24 hours of Bitcoin', search: 'coin=BTC' }],
  errors: ['not_found', 'upstream_unavailable'],
  async handle(query, context) {
    const { from, to } = readTapeRange(context, { from: query.from, to: query.to });
    const { coin, coverage: tape, secondary } = await chosenTape(context, query);
    const holes = await tape.holes(coin, from, to);
    const stretches = await tape.stretches(coin, from, to);
    const rows = withReasons(stretches, holes);
    return {
      data: secondary ? await withCounts(rows, holes, secondary) : rows,
      meta: await tapeMeta(context, { toMs: to, of: secondary && feedOf(secondary.market) }),
      validUntilMs: context.nowMs + REUSE_MS,
    };
  },
});

/** The intervals with the reasons of their gaps. */
function withReasons(
  stretches: readonly Stretch[],
  holes: readonly CoinGap[],
): (Stretch & { readonly reason?: string })[] {
  const reasons = stretches.map(() => new Set<string>());
  for (const { from, to, state, reason } of holes) {
    for (let i = firstAfter(stretches, from); (stretches[i]?.from ?? Infinity) < to; i += 1) {
      if (stretches[i]?.state === state) reasons[i]?.add(reason);
    }
  }
  return stretches.map((stretch, i) => {
    const told = [...(reasons[i] ?? [])];
    return told.length === 0 ? stretch : { ...stretch, reason: told.join('; ') };
  });
}

/** The stretches of a market with its recorded trades, and where these are numbered, with those that there were. */
async function withCounts<Row extends Stretch>(
  rows: readonly Row[],
  holes: readonly CoinGap[],
  { market, ...recorded }: RecordedTape & { readonly market: StoredMarket },
) {
  const counts = await countTrades(recorded, market.symbol, rows);
  return rows.map((row, i) => {
    const recordedTrades = counts[i] ?? 0;
    if (!market.isCounted) return { ...row, method: 'socket' as const, recordedTrades };
    // A gap is counted where it begins. Before the record begins, nothing is known to be missing or not.
    const own = holes.filter(({ from }) => from >= row.from && from < row.to);
    const isWhole = row.state === 'complete' || row.state === 'refilled';
    if (!isWhole && !own.some((hole) => hole.missing !== undefined))
      return { ...row, method: 'count' as const, recordedTrades };
    const missing = own.reduce((sum, hole) => sum + (hole.missing ?? 0), 0);
    return { ...row, method: 'count' as const, recordedTrades, expectedTrades: recordedTrades + missing };
  });
}

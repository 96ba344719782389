import { Type } from 'typebox';
import { coinInput } from '../inputs.ts';
import { tool } from '../tool.ts';
import { percent, time, usd } from '../wording.ts';

interface LiquidationRow {
  readonly coin: string;
  readonly long24hUsd: number;
  readonly short24hUsd: number;
  readonly max24hUsd: number;
  readonly venues: readonly string[];
  readonly inferred?: { readonly count: number; readonly longUsd: number; readonly shortUsd: number };
  readonly sinceTs?: number;
}

interface Score {
  readonly day: string;
  readonly precision: number;
  readonly recall: number;
}

export const getLiquidations = tool({
  name: 'get_liquidations',
  title: 'Liquidations of the last 24 hours',
  description:
    'Returns how much of one coin was liquidated in the last 24 hours, longs and shorts, in USD, with the largest single one and the venues counted. Use it to ask which side was forced out; use get_large_prints for large voluntary trades. `measured` sums are reported by venues, `inferredSums` are read from the tape of the primary venue. Only the last 24 hours are summed; when the record is younger, `sinceTs` says from when it counts and coverage is partial.',
  input: Type.Object({ coin: coinInput }, { additionalProperties: false }),
  async call({ coin }, rest) {
    const { data, meta } = await rest.get<readonly LiquidationRow[]>('/perps/liquidations', { coins: coin });
    const row = data[0];
    const since = row?.sinceTs;
    const score = meta['inferenceScore'] as Score | undefined;
    const text = row
      ? `${usd(row.long24hUsd)} of ${row.coin} longs and ${usd(row.short24hUsd)} of shorts were liquidated ${since === undefined ? 'in the last 24 hours' : `since ${time(since)}`}; the largest single liquidation was ${usd(row.max24hUsd)}. Counted venues: ${row.venues.join(', ') || 'none'}.${inferredPart(row.inferred, score)}`
      : `No liquidation of ${coin} is on record for the last 24 hours.`;
    const { inferred, ...figures } = row ?? { coin };
    return {
      text,
      metas: [meta],
      ...(since !== undefined && {
        coverage: 'partial' as const,
        gaps: [{ from: meta.fetchedAt - 86_400_000, to: since, reason: 'before the record' }],
      }),
      inferred: inferred !== undefined,
      units: { long24hUsd: 'USD', short24hUsd: 'USD', max24hUsd: 'USD', sinceTs: 'ms since the Unix epoch' },
      figures: {
        ...figures,
        ...(inferred && { inferredSums: inferred }),
        ...(score && { inferenceScore: score }),
      },
    };
  },
});

function inferredPart(sums: LiquidationRow['inferred'], score: Score | undefined): string {
  if (!sums || sums.count === 0) return '';
  const known = score
    ? `: on ${score.day} ${percent(100 * score.precision, 0)} of the inferred ones were right, and ${percent(100 * score.recall, 0)} of the real ones were found`
    : '; no day was compared with the chain';
  return ` ${usd(sums.longUsd + sums.shortUsd)} of it is inferred${known}.`;
}

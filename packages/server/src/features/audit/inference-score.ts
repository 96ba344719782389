import { type Static, Type } from 'typebox';
import { orNull, text } from '../../http/field.ts';
import type { DayResults } from './day-results.ts';

const share = { minimum: 0, maximum: 1 } as const;

const InferenceScore = Type.Object({
  day: text('The newest UTC day that was compared with the chain, `YYYY-MM-DD`.'),
  precision: Type.Number({
    ...share,
    description: 'Share of the inferred liquidations that the chain marks.',
  }),
  recall: Type.Number({ ...share, description: 'Share of the marked liquidations that were inferred.' }),
  notionalErrorPct: orNull(
    Type.Number(),
    'By how many percent their value is above that of the marked ones, or below if negative.',
  ),
});

/** For answers with inferred liquidations. */
export const inferenceMeta = {
  inferenceScore: Type.Optional(
    Type.Object(InferenceScore.properties, {
      description:
        'Accuracy of inferred liquidations; `/audit/liquidations` has every day. Omitted: none of them is in the answer, or no day was compared with the chain.',
    }),
  ),
};

/** The part of the meta of an answer with inferred liquidations. */
export async function inferenceScoreOf(
  results: Pick<DayResults, 'newestScored'>,
): Promise<{ readonly inferenceScore?: Static<typeof InferenceScore> }> {
  const scored = await results.newestScored();
  const { precision = null, recall = null, notionalErrorPct = null } = scored?.liquidations?.total ?? {};
  if (!scored || precision === null || recall === null) return {};
  return { inferenceScore: { day: scored.day, precision, recall, notionalErrorPct } };
}

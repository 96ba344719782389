import { Type } from 'typebox';
import { sinceParameter } from '../../../http/parameter.ts';
import { Failure } from '../../../platform/errors.ts';
import { snapshotTopic } from '../../../topics.ts';
import { type Context, endpoint } from '../../context.ts';
import { readSampled } from '../../sampled-series.ts';
import { PRICES_DAYS, QUESTIONS_MAX, questionPricesTopic } from '../question-prices.ts';
import { predictionVenueId } from '../read-prediction.ts';
import { QuestionPriceSeries } from '../schema.ts';

export const predictionHistory = endpoint({
  path: '/prediction/history',
  summary: 'Recorded prices of a question',
  description: `Price of the first outcome of a question, sampled every 10 minutes on the clock and kept for ${PRICES_DAYS} days, of the first ${QUESTIONS_MAX} questions of \`/prediction/events\`. A sample that could not be taken is missing, never repeated.`,
  query: Type.Object({
    id: Type.String({
      pattern: '^[0-9]{1,20}$',
      description: 'Id of the question, as in `/prediction/events`.',
      allowed: 'the id of a question, a number',
      examples: ['512331'],
    }),
    sinceMs: sinceParameter,
  }),
  data: QuestionPriceSeries,
  cacheSeconds: 60,
  examples: [{ summary: 'A question', search: 'id=512331' }],
  errors: ['not_found'],
  async handle({ id, sinceMs = 0 }, context) {
    const read = context.resources.questionPrices.since(id, sinceMs);
    const kept = { topic: questionPricesTopic, days: PRICES_DAYS };
    const { samples, series } = await readSampled(context, read, kept);
    if (series.enabled && samples.length === 0 && sinceMs === 0 && !isListed(context, id))
      throw new Failure('not_found', `No recorded prices for question ${id}.`);
    return {
      data: { id, points: samples.map(({ t, price }) => ({ t, price })), ...series },
      meta: { fetchedAt: series.fetchedAt, source: context.label([predictionVenueId]) },
    };
  },
});

/** A listed question may have no sample yet. */
function isListed(context: Context, id: string): boolean {
  const table = context.latest(snapshotTopic(predictionVenueId, 'predictions'));
  return table?.rows.some(({ symbol }) => symbol === id) ?? false;
}

import { type Static, Type } from 'typebox';
import { type RankedQuestion, rankQuestions } from '../rank-questions.ts';
import { predictionVenueId } from '../read-prediction.ts';
import { PredictionEvent } from '../schema.ts';
import { readTables } from '../../markets/read-tables.ts';
import { endpoint } from '../../context.ts';

const cacheSeconds = 30;
const ROWS_MAX = 500;

export const predictionEvents = endpoint({
  path: '/prediction/events',
  summary: 'Prediction markets',
  description: `Open questions with two outcomes, ranked by liquidity times the time that is left: at most ${ROWS_MAX} of those of the 300 most liquid events on Polymarket. Each outcome has its book under its \`tokenId\`. What is past its end, though it may still take orders until it is decided, is left out. Fetched on demand, every minute while requested.`,
  query: Type.Object({}),
  data: Type.Array(PredictionEvent),
  cacheSeconds,
  examples: [{ summary: 'All', search: '' }],
  errors: ['upstream_unavailable'],
  async handle(_query, context) {
    const { tables, meta, validUntilMs } = await readTables(context, {
      table: 'predictions',
      venues: [predictionVenueId],
      cacheSeconds,
      isOnDemand: true,
    });
    const { rows = [], fetchedAtMs = 0 } = tables[0] ?? {};
    const ranked = rankQuestions(rows, { fetchedAtMs, nowMs: context.nowMs }).slice(0, ROWS_MAX);
    return {
      data: ranked.map(printQuestion),
      meta,
      validUntilMs: Math.min(validUntilMs, ...ranked.map(({ market }) => market.endMs)),
    };
  },
});

function printQuestion({ market, hoursToClose, score }: RankedQuestion): Static<typeof PredictionEvent> {
  return {
    id: market.symbol,
    slug: market.eventSlug,
    title: market.title,
    question: market.question,
    outcomes: market.outcomes.map(({ name, tokenId, price }) => ({ name, tokenId, price })),
    liquidityUsd: market.liquidityUsd,
    volume24hUsd: market.volume24hUsd,
    endMs: market.endMs,
    hoursToClose,
    score,
    url: urlOf(market.eventSlug),
    eventId: market.eventId,
    coin: market.coin === '' ? null : market.coin,
  };
}

/** The page of an event; of one without a slug, the venue's own. */
function urlOf(slug: string): string {
  return slug === '' ? 'https://polymarket.com' : `https://polymarket.com/event/${encodeURIComponent(slug)}`;
}

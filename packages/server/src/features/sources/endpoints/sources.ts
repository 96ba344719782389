import { DAY_MS, isWorse, type SourceHealth } from '@crosstape/core';
import { Type } from 'typebox';
import { Failure } from '../../../platform/errors.ts';
import { healthTopic, isIdle } from '../../../topics.ts';
import { recordedSinceMs, sinceTsOf } from '../../perps/recorded-since.ts';
import { SourceInfo } from '../schema.ts';
import { type Context, endpoint } from '../../context.ts';

/** Ages grow even if nothing happens. */
const REUSE_MS = 1_000;
/** It trades all the time, so its tape shows every gap. */
const WATCHED_COIN = 'BTC';
/** The reason for the time before the service first ran, which is no gap. */
const BEFORE_RECORD = 'before the record begins';

export const sources = endpoint({
  path: '/sources',
  summary: 'Data sources and their health',
  description:
    'Every data source: what is used, its attribution, its terms, and the state of its resources and feeds.',
  query: Type.Object({}),
  data: Type.Array(SourceInfo),
  cacheSeconds: 5,
  examples: [{ summary: 'All sources', search: '' }],
  async handle(_query, context) {
    const { nowMs } = context;
    const { primaryVenue, coverage } = context.resources;
    const gaps24h = await coverage.gaps(WATCHED_COIN, nowMs - DAY_MS, nowMs).then(
      (gaps) => gaps.filter(({ reason }) => reason !== BEFORE_RECORD).length,
      (error: unknown) => {
        if (error instanceof Failure) return null;
        throw error;
      },
    );
    const since = sinceTsOf(await recordedSinceMs(context), nowMs - DAY_MS);
    const data = context.resources.sources.map((terms) => {
      const healths = healthsOf(context, terms.id);
      const [first, ...others] = healths.filter((health) => !isIdle(health));
      return {
        ...terms,
        termsUrl: terms.termsUrl ?? null,
        status: first
          ? others.reduce((worst, one) => (isWorse(one, worst) ? one : worst), first).status
          : null,
        gaps24h: terms.id === primaryVenue ? gaps24h : null,
        ...(terms.id === primaryVenue && gaps24h !== null && since),
        notes: healths.flatMap(({ notes = [] }) => notes),
        feeds: healths.map((health) => feedOf(health, nowMs)),
      };
    });
    return {
      data,
      meta: { fetchedAt: nowMs, source: context.label(['crosstape']) },
      validUntilMs: nowMs + REUSE_MS,
    };
  },
});

/** Health of a venue and its parts under other addresses. */
function healthsOf(context: Context, id: string): readonly SourceHealth[] {
  return context.resources.publishers
    .filter((one) => (one.venue ?? one.id) === id)
    .flatMap((one) => context.latest(healthTopic(one.id)) ?? []);
}

function feedOf(health: SourceHealth, nowMs: number) {
  const {
    source,
    gives,
    status,
    error,
    notes = [],
    sinceMs,
    lastGoodMs,
    messages,
    refused,
    reconnects,
  } = health;
  return {
    source,
    gives: [...gives],
    status: isIdle(health) ? null : status,
    error: isIdle(health) ? null : (error ?? null),
    notes: [...notes],
    sinceTs: sinceMs,
    ageMs: lastGoodMs === undefined ? null : nowMs - lastGoodMs,
    messagesLastMinute: health.messagesLastMinute ?? null,
    messages,
    refused,
    reconnects,
  };
}

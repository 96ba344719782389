import { DAY_MS } from '@crosstape/core';
import { type Static, Type } from 'typebox';
import { limitParameter } from '../../../http/parameter.ts';
import { auditStateTopic } from '../../../topics.ts';
import { endpoint } from '../../context.ts';
import { AUDIT_REUSE_MS, WORST_MAX, worstFirst } from '../audit-table.ts';
import { AuditSummary } from '../hour-schema.ts';

const DAYS_MAX = 90;

export const auditSummary = endpoint({
  path: '/audit/summary',
  summary: 'Verdicts by venue and day',
  description:
    "How many recorded hours equal the venues' own candles, by venue and UTC day, and the ten hours that are furthest apart. `/audit` has the hours of a market.",
  query: Type.Object({
    days: limitParameter({ max: DAYS_MAX, byDefault: 30, description: 'Days up to today.', example: 7 }),
  }),
  data: AuditSummary,
  cacheSeconds: 60,
  examples: [{ summary: 'The last 30 days', search: '' }],
  async handle({ days }, context) {
    const { nowMs, resources } = context;
    const today = Math.floor(nowMs / DAY_MS) * DAY_MS;
    const rows = await resources.audits.days(today - (days - 1) * DAY_MS, today + DAY_MS);
    const worst = worstFirst(rows.flatMap((row) => row.worst)).slice(0, WORST_MAX);
    const venues = new Set([resources.primaryVenue, ...rows.map(({ venue }) => venue)]);
    const nextAt = context.latest(auditStateTopic)?.nextAtMs;
    const data: Static<typeof AuditSummary> = {
      days: rows.map(({ venue, day, counts }) => ({ venue, day, ...counts })),
      worst: [...worst],
      ...(nextAt !== undefined && { nextAt }),
    };
    return {
      data,
      meta: { fetchedAt: nowMs, source: context.label([...venues]) },
      validUntilMs: nowMs + AUDIT_REUSE_MS,
    };
  },
});

import { DAY_MS } from '@crosstape/core';
import { type Static, Type } from 'typebox';
import { marketName, endParameter, startParameter } from '../../../http/parameter.ts';
import { Failure } from '../../../platform/errors.ts';
import { chosenMarket } from '../../candles/candle-market.ts';
import { endpoint } from '../../context.ts';
import { AUDIT_REUSE_MS } from '../audit-table.ts';
import { AuditHour } from '../hour-schema.ts';

export const audit = endpoint({
  path: '/audit',
  summary: "Hourly audit against the venue's candles",
  description:
    "Each recorded hour of a market is compared, minute by minute, with the venue's own candles a few minutes after its end. Verdicts are kept for 90 days. Oldest first.",
  query: Type.Object({
    market: marketName({
      description:
        'Market of any recorded venue: `hyperliquid:BTC`, `coinbase-spot:BTC-USD`. `/markets/recorded` lists them.',
      examples: ['hyperliquid:BTC'],
    }),
    from: startParameter('Hours that begin at or after this time, in ms. Omitted: a day before `to`.'),
    to: endParameter('Hours that begin before this time, in ms. Omitted: now.'),
  }),
  data: Type.Array(AuditHour),
  cacheSeconds: 60,
  examples: [{ summary: 'The last day of Bitcoin', search: 'market=hyperliquid:BTC' }],
  errors: ['not_found', 'upstream_unavailable'],
  async handle({ market: name, from, to }, context) {
    const { nowMs, resources } = context;
    const end = to ?? nowMs;
    const start = from ?? Math.max(0, end - DAY_MS);
    if (start >= end)
      throw new Failure(
        'bad_request',
        `Parameter \`from\` must be less than \`to\`: ${start} is not less than ${end}.`,
      );
    const { id, secondary } = await chosenMarket(context, name);
    const hours = await resources.audits.hours(id, start, end);
    const venue = secondary?.market.venue ?? resources.primaryVenue;
    return {
      data: hours as Static<typeof AuditHour>[],
      meta: { fetchedAt: nowMs, source: context.label([venue]) },
      validUntilMs: nowMs + AUDIT_REUSE_MS,
    };
  },
});

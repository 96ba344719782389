import { DAY_MS, type HourVerdict } from '@crosstape/core';
import { type Static, Type } from 'typebox';
import { coinName } from '../../../http/parameter.ts';
import { Failure } from '../../../platform/errors.ts';
import { type Context, endpoint } from '../../context.ts';
import { AUDIT_REUSE_MS } from '../audit-table.ts';
import { AuditDayMarket } from '../hour-schema.ts';

type Row = Static<typeof AuditDayMarket>;

export const auditDay = endpoint({
  path: '/audit/day',
  summary: "Verdicts of a venue's markets on a day",
  description:
    'The hours of each recorded market of a venue on one UTC day, without their minutes, which `/audit` has. Markets with an hour that differs come first, then those with a reported gap.',
  query: Type.Object({
    venue: coinName({
      description: 'Id of the venue as `/audit/summary` has it: `hyperliquid`, `binance-spot`.',
      examples: ['hyperliquid'],
    }),
    day: Type.Optional(
      Type.String({
        pattern: String.raw`^\d{4}-\d{2}-\d{2}$`,
        allowed: 'a date such as 2026-11-15',
        description: 'The UTC day. Omitted: today.',
        examples: ['2026-11-15'],
      }),
    ),
  }),
  data: Type.Array(AuditDayMarket),
  cacheSeconds: 60,
  examples: [{ summary: 'Today on Hyperliquid', search: 'venue=hyperliquid' }],
  errors: ['not_found'],
  async handle({ venue, day }, context) {
    const { nowMs, resources } = context;
    const from = day === undefined ? Math.floor(nowMs / DAY_MS) * DAY_MS : Date.parse(day);
    if (day !== undefined && !isDate(day, from))
      throw new Failure('bad_request', `Parameter \`day\` is not a date: ${day}.`);
    const publisher = resources.publishers.find(({ id }) => id === venue.toLowerCase());
    if (!publisher) throw new Failure('not_found', `There is no venue ${venue}.`);
    const markets = await marketsOf(context, publisher.id);
    const rows = await Promise.all(
      markets.map(async (market): Promise<Row> => {
        const hours = await resources.audits.hours(market, from, from + DAY_MS);
        return {
          market,
          hours: hours.map(({ hour, verdict, diffPct }) => ({
            hour,
            verdict,
            ...(diffPct !== undefined && { diffPct }),
          })),
        };
      }),
    );
    return {
      data: rows.filter(({ hours }) => hours.length > 0).toSorted(worstMarketFirst),
      meta: { fetchedAt: nowMs, source: context.label([publisher.venue ?? publisher.id]) },
      validUntilMs: nowMs + AUDIT_REUSE_MS,
    };
  },
});

/** The 31st of February is read as a day of March. */
function isDate(day: string, ms: number): boolean {
  return Number.isFinite(ms) && new Date(ms).toISOString().startsWith(day);
}

/** Ids of the markets of a publisher that are, or were, recorded. */
async function marketsOf({ resources }: Context, publisher: string): Promise<readonly string[]> {
  const { markets, primaryVenue } = resources;
  if (!markets) return [];
  if (publisher === primaryVenue)
    return (await markets.primary.ticks.coins()).map((coin) => `${primaryVenue}:${coin}`);
  return (await markets.list()).filter((market) => market.publisher === publisher).map(({ id }) => id);
}

function worstMarketFirst(a: Row, b: Row): number {
  const count = ({ hours }: Row, wanted: HourVerdict): number =>
    hours.filter(({ verdict }) => verdict === wanted).length;
  return (
    count(b, 'differs') - count(a, 'differs') ||
    count(b, 'incomplete') - count(a, 'incomplete') ||
    (a.market < b.market ? -1 : 1)
  );
}

import { candleIntervalsMs, HOUR_MS, intervalStart, MINUTE_MS } from '@crosstape/core';
import { Type } from 'typebox';
import { coinName, endParameter, startParameter } from '../../../http/parameter.ts';
import { Failure } from '../../../platform/errors.ts';
import { memberList, candleInterval } from '../../candles/schema.ts';
import { inTurn, membersMeta, membersOf, momentsOf, readMembers } from '../../candles/members.ts';
import { knownCoin } from '../../markets/known-coin.ts';
import { endpoint } from '../../context.ts';
import { cvdPoints } from '../cvd.ts';
import { CvdSeries } from '../cvd-schema.ts';

const POINTS_DEFAULT = 300;
const POINTS_MAX = 1_000;
/** The newest point grows with every trade: an answer is reused for this long. */
const REUSE_MS = 1_000;

export const flowsCvd = endpoint({
  path: '/flows/cvd',
  summary: 'Cumulative volume delta',
  description:
    'Taker-buy less taker-sell volume of a coin by interval, for each recorded market, and summed over perpetuals, spot and all, with running sums since `start`. USD figures take the delta of a market at the volume-weighted price of its minute, of its hour for intervals of an hour and more; USDT and USDC are converted at the rate of that time.',
  query: Type.Object({
    coin: coinName({ description: 'Ticker, in any case.', examples: ['BTC'] }),
    interval: candleInterval,
    start: startParameter(
      `Where the sums begin, in milliseconds since the Unix epoch; begins at the start of its interval. Omitted: ${POINTS_DEFAULT} intervals before \`end\`.`,
    ),
    end: endParameter(
      `End in milliseconds since the Unix epoch, not included; at most ${POINTS_MAX} intervals after \`start\`. Omitted: now.`,
    ),
  }),
  data: CvdSeries,
  meta: { members: Type.Optional(memberList) },
  cacheSeconds: 10,
  examples: [
    { summary: 'Bitcoin by the minute', search: 'coin=BTC' },
    { summary: 'Ether by the hour', search: 'coin=ETH&interval=1h' },
  ],
  errors: ['not_found', 'upstream_unavailable'],
  async handle({ coin: text, interval, start, end }, context) {
    const { nowMs, caller } = context;
    const intervalMs = candleIntervalsMs[interval];
    const to = end ?? nowMs + 1;
    const from = intervalStart(start ?? Math.max(0, to - POINTS_DEFAULT * intervalMs), intervalMs);
    if (from >= to)
      throw new Failure(
        'bad_request',
        `Parameter \`start\` must be less than \`end\`: ${from} is not less than ${to}.`,
      );
    if (to - from > (POINTS_MAX + 1) * intervalMs)
      throw new Failure(
        'bad_request',
        `Parameters \`start\` and \`end\` must be at most ${POINTS_MAX} intervals apart; use a shorter range or a longer interval.`,
      );
    const coin = await knownCoin(context, text);
    const baseMs = intervalMs < HOUR_MS ? MINUTE_MS : HOUR_MS;
    const limit = Math.ceil((to - from) / baseMs);
    const found = await membersOf(context, { scope: 'all', coin });
    const { members, points } = await inTurn(context, async () => {
      // Most venues do not report sides: sums begin with the record.
      const range = { intervalMs: baseMs, from, to, limit, caller };
      const pages = await readMembers(context, found, range, { recordedOnly: true });
      const own = pages.map(({ member }) => member);
      const moments = await momentsOf(pages, baseMs, { caller });
      return { members: own, points: await cvdPoints(own, moments, intervalMs, caller) };
    });
    return {
      data: { coin, interval, start: from, points: [...points] },
      meta: {
        ...membersMeta(context, members, Math.min(to, nowMs)),
        members: members.map(({ market, since }) => ({ market: market.id, since })),
      },
      validUntilMs: nowMs + REUSE_MS,
    };
  },
});

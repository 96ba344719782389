import { DAY_MS, HOUR_MS, roundTo } from '@crosstape/core';
import { type Static, Type } from 'typebox';
import { coinsMeta } from '../../../http/envelope.ts';
import { coinName, commaList, defaulted, venueName } from '../../../http/parameter.ts';
import { Failure } from '../../../platform/errors.ts';
import { nextTurn } from '../../../platform/next-turn.ts';
import { historyTopic, seedingTopic } from '../../../topics.ts';
import { endpoint } from '../../context.ts';
import { knownCoins } from '../../markets/known-coin.ts';
import { contractVenueIds, usdOnlyVenues } from '../../markets/venue-ids.ts';
import { HISTORY_CADENCE_MS } from '../history-table.ts';
import { OiChange } from '../changes-schema.ts';
import type { LedgerSample } from '../samples/sample-block.ts';

/** A series whose newest sample is older has ended. */
const NEWEST_MAX_MS = 3 * HISTORY_CADENCE_MS;
/** Series read before yielding to the event loop: a few milliseconds. */
const SERIES_PER_TURN = 20;
const PERCENT_DECIMALS = 4;

export const perpsOiChanges = endpoint({
  path: '/perps/oi/changes',
  summary: 'Changes of open interest',
  description: `Change of open interest over 1, 4 and 24 hours by coin and venue, between recorded samples, which are taken every 10 minutes. In contracts, so that price changes do not affect it. ${usdOnlyVenues} report no contracts.`,
  query: Type.Object({
    coins: Type.Optional(
      commaList(coinName({ description: 'Ticker.' }), {
        description: 'Tickers, in any case. Omitted: every coin of the primary venue.',
        examples: [['BTC', 'ETH']],
      }),
    ),
    venues: defaulted(
      commaList(venueName(contractVenueIds), {
        description: 'Venue ids or aliases, in any case.',
        examples: [['hyperliquid', 'binance']],
      }),
      ['hyperliquid'],
    ),
  }),
  data: Type.Array(OiChange),
  meta: coinsMeta,
  cacheSeconds: 60,
  examples: [
    { summary: 'Every coin on the primary venue', search: '' },
    { summary: 'One coin across venues', search: 'coins=BTC&venues=hyperliquid,binance,okx' },
  ],
  errors: ['not_found', 'upstream_unavailable'],
  async handle({ coins: texts, venues }, context) {
    const { nowMs } = context;
    // An answer is renewed when another sample has been written, and while the first-run history grows.
    const newest = context.latest(historyTopic)?.t;
    context.latest(seedingTopic);
    const { coins, unknown } = await knownCoins(context, texts);
    const data: Static<typeof OiChange>[] = [];
    const range = { sinceMs: nowMs - DAY_MS - NEWEST_MAX_MS };
    let read = 0;
    for (const coin of coins)
      for (const venue of venues) {
        const series = { kind: 'openInterest', venue, coin } as const;
        const samples = await context.resources.samples.read(series, '10m', range).catch(unreadable);
        const change = changeOf(samples, nowMs);
        if (change) data.push({ coin, venue, ...change });
        read += 1;
        if (read % SERIES_PER_TURN === 0) await nextTurn(context.caller);
      }
    const fetchedAt = Math.max(...data.map(({ t }) => t), newest ?? 0) || context.resources.startedAtMs;
    return {
      data,
      meta: {
        fetchedAt,
        source: context.label(venues),
        ...(unknown.length > 0 && { unknown: [...unknown] }),
      },
      validUntilMs: nowMs + HISTORY_CADENCE_MS,
    };
  },
});

function unreadable(cause: unknown): never {
  throw new Failure('upstream_unavailable', 'Recorded open interest cannot be read.', { cause });
}

function changeOf(samples: readonly LedgerSample[], nowMs: number) {
  const last = samples.at(-1);
  if (!last || last.t < nowMs - NEWEST_MAX_MS) return undefined;
  const changeSince = (hours: number): number | null => {
    const before = samples.find(({ t }) => t === last.t - hours * HOUR_MS)?.value;
    return before ? roundTo((last.value / before - 1) * 100, PERCENT_DECIMALS) : null;
  };
  return {
    t: last.t,
    oiContracts: last.value,
    change1hPct: changeSince(1),
    change4hPct: changeSince(4),
    change24hPct: changeSince(24),
  };
}

import { type FundingChange as Change, roundTo } from '@crosstape/core';
import { Type } from 'typebox';
import { Failure } from '../../../platform/errors.ts';
import { fundingTopic } from '../../../topics.ts';
import { findCoins } from '../../markets/coins.ts';
import { coinName, commaList, defaulted } from '../../../http/parameter.ts';
import { FundingChange, Heartbeat } from '../../tape/stream-schema.ts';
import { stream, type StreamServices } from '../../stream.ts';

/** Far below any step of a venue's rate, far above the noise of a difference of two of them. */
const BPS_DECIMALS = 9;

export const funding = stream({
  definition: {
    path: '/streams/funding',
    summary: 'Stream of funding rate changes',
    description:
      'A coin whose rate moved since the previous poll (every 30 seconds) by at least `minDeltaBps`. After a resume repeats are possible: identify them by `coin` and `ts`.',
    query: Type.Object({
      coins: Type.Optional(
        commaList(coinName({ description: 'A ticker.' }), {
          description:
            "The primary venue's tickers, in any case; omitted, all. Unknown ones are named in the first heartbeat.",
          examples: [['BTC', 'ETH']],
        }),
      ),
      minDeltaBps: defaulted(
        Type.Number({ minimum: 0, description: 'Smallest move, up or down, in basis points.' }),
        0.5,
      ),
    }),
    events: { funding: FundingChange, heartbeat: Heartbeat },
    errors: ['not_found', 'upstream_unavailable'],
  },
  eventName: 'funding',
  sources: (publisher) => [[{ publisher, gives: 'funding' }]],

  select({ coins: texts, minDeltaBps }, services) {
    const { coins, unknown } = texts ? requestedCoins(services, texts) : {};
    return {
      topic: fundingTopic,
      key: JSON.stringify([minDeltaBps, coins && [...coins].toSorted()]),
      accepts: (change: Change) =>
        roundTo(Math.abs(change.delta) * 10_000, BPS_DECIMALS) >= minDeltaBps &&
        (coins === undefined || coins.has(change.coin)),
      ...(unknown && unknown.length > 0 && { unknown }),
    };
  },

  data: ({ coin, rate, periodHours, prevRate, delta, ts, venue }: Change) => ({
    coin,
    rate,
    periodHours,
    prevRate,
    delta,
    ts,
    venue,
  }),
});

function requestedCoins(
  { knownCoins }: StreamServices,
  texts: readonly string[],
): { coins: ReadonlySet<string>; unknown: readonly string[] } {
  const { coins, unknown } = findCoins(knownCoins(), texts);
  if (coins.length === 0) {
    throw new Failure(
      'not_found',
      'Parameter `coins`: none of the given coins is known on the primary venue.',
      { meta: { unknown } },
    );
  }
  return { coins: new Set(coins), unknown };
}

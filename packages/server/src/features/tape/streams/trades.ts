import type { Trade } from '@crosstape/core';
import { Type } from 'typebox';
import { tradeTopic } from '../../../topics.ts';
import { coinName, defaulted } from '../../../http/parameter.ts';
import { recallTrades } from '../recall-events.ts';
import { Heartbeat, TradeTick } from '../stream-schema.ts';
import { knownCoin, stream } from '../../stream.ts';

export const trades = stream({
  definition: {
    path: '/streams/trades',
    summary: 'Trades of one coin as they happen',
    description:
      "Every trade on the primary venue's tape of the coin, in order of release. After a resume repeats are possible: identify them by `ts` and `tid`.",
    query: Type.Object({
      coin: coinName({ description: "The primary venue's ticker, in any case.", examples: ['BTC'] }),
      minUsd: defaulted(
        Type.Number({ minimum: 0, description: 'Smallest notional in USD; 0 lets every trade through.' }),
        0,
      ),
    }),
    events: { trade: TradeTick, heartbeat: Heartbeat },
    errors: ['not_found', 'upstream_unavailable'],
  },
  eventName: 'trade',
  sources: (publisher) => [[{ publisher, gives: 'trades' }]],

  select({ coin: text, minUsd }, services) {
    const coin = knownCoin(services, text);
    const { record } = services;
    return {
      topic: tradeTopic(coin),
      key: String(minUsd),
      accepts: (trade: Trade) => trade.notionalUsd >= minUsd,
      ...(record && { recall: (fromTs: number) => recallTrades(record, coin, fromTs) }),
    };
  },

  data: ({ coin, side, price, size, notionalUsd, ts, venue, tid, venueTs }: Trade) => ({
    coin,
    side,
    price,
    size,
    notionalUsd,
    ts,
    venue,
    tid,
    venueTs,
  }),
});

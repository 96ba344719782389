import type { Print } from '@crosstape/core';
import { Type } from 'typebox';
import { printTopic } from '../../../topics.ts';
import { coinName, defaulted } from '../../../http/parameter.ts';
import { recallPrints } from '../../tape/recall-events.ts';
import { WhaleTick } from '../../perps/schema.ts';
import { Bye, Heartbeat } from '../../tape/stream-schema.ts';
import { knownCoin, stream } from '../../stream.ts';
import { whaleTick } from '../whale-tick.ts';

/** Its ledger shows when the feed was down, as that of every coin does. */
const ANY_COIN = 'BTC';

export const whales = stream({
  definition: {
    path: '/streams/whales',
    summary: 'Large prints as they happen',
    description:
      'Taker orders of the primary venue with at least the given notional, all fills of an order as one print. After a resume repeats are possible: identify them by `coin`, `ts` and `tid`.',
    query: Type.Object({
      minUsd: defaulted(Type.Number({ minimum: 0, description: 'Smallest notional in USD.' }), 100_000),
      coin: Type.Optional(
        coinName({
          description: "The primary venue's ticker, in any case; omitted, all coins.",
          examples: ['BTC'],
        }),
      ),
    }),
    events: { whale: WhaleTick, heartbeat: Heartbeat, bye: Bye },
    errors: ['not_found', 'upstream_unavailable'],
  },
  eventName: 'whale',
  sources: (publisher) => [[{ publisher, gives: 'trades' }]],

  select({ minUsd, coin: text }, services) {
    const coin = text === undefined ? undefined : knownCoin(services, text);
    const query = { minUsd, ...(coin !== undefined && { coin }) };
    const { record } = services;
    return {
      topic: printTopic,
      key: JSON.stringify([minUsd, coin]),
      accepts: (print: Print) => print.notionalUsd >= minUsd && (coin === undefined || print.coin === coin),
      ...(record && {
        recall: (fromTs: number) => recallPrints(record, query, coin ?? ANY_COIN, fromTs),
      }),
    };
  },

  data: whaleTick,
});

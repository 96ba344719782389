import type { Print } from '@crosstape/core';
import { Type } from 'typebox';
import { printTopic } from '../../../topics.ts';
import { coinName, defaulted } from '../../../http/parameter.ts';
import { recallPrints, type StreamRecord } from '../../tape/recall-events.ts';
import { WhaleTick } from '../../perps/schema.ts';
import { Bye, Heartbeat } from '../../tape/stream-schema.ts';
import { channel, knownCoin } from '../../../sse/channel.ts';
import { whaleTick } from '../whale-tick.ts';

/** Its ledger tells when the feed was down, as that of every coin does. */
const ANY_COIN = 'BTC';

export const whales = channel({
  definition: {
    path: '/streams/whales',
    summary: 'Large prints as they happen',
    description:
      'Taker orders of the primary venue with at least the given notional, all fills of an order as one print. After a resume repeats are possible: `coin`, `ts` and `tid` tell them.',
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

  select({ minUsd, coin: text }, coins) {
    const coin = text === undefined ? undefined : knownCoin(coins, text);
    return {
      topic: printTopic,
      key: JSON.stringify([minUsd, coin]),
      accepts: (print: Print) => print.notionalUsd >= minUsd && (coin === undefined || print.coin === coin),
      recall: (record: StreamRecord, fromTs: number) => {
        const query = { minUsd, ...(coin !== undefined && { coin }) };
        return recallPrints(record, query, coin ?? ANY_COIN, fromTs);
      },
    };
  },

  data: whaleTick,
});

import type { Trade } from '@crosstape/core';
import { Type } from 'typebox';
import { tradeTopic } from '../../../topics.ts';
import { coinName, defaulted } from '../../../http/parameter.ts';
import { Failure } from '../../../platform/errors.ts';
import type { Selection } from '../../../sse/event-stream.ts';
import { marketParameter } from '../../market-tape/chosen-tape.ts';
import { liveMarket } from '../../market-tape/find-market.ts';
import { followedTape, tradeSources } from '../../market-tape/followed-tape.ts';
import { recallTrades, type StreamRecord } from '../recall-events.ts';
import { Heartbeat, TradeTick } from '../stream-schema.ts';
import { knownCoin, stream, type StreamServices } from '../../stream.ts';

export const trades = stream({
  definition: {
    path: '/streams/trades',
    summary: 'Stream of trades for one coin',
    description:
      "Every trade on the primary venue's tape of the coin, in order of release; with `market`, of that market. After a resume repeats are possible: identify them by `ts` and `tid`.",
    query: Type.Object({
      coin: Type.Optional(
        coinName({
          description: "The primary venue's ticker, in any case. Required without `market`.",
          examples: ['BTC'],
        }),
      ),
      market: marketParameter,
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

  select({ coin: text, market: id, minUsd }, services): Selection<Trade> {
    if (text !== undefined && id !== undefined)
      throw new Failure('bad_request', 'Parameters `coin` and `market` exclude each other.');
    if (id !== undefined) return selectMarket(id, minUsd, services);
    if (text === undefined)
      throw new Failure(
        'bad_request',
        'Parameter `coin` is missing; it must be a ticker of 1 to 32 characters.',
      );
    return selectCoin(knownCoin(services, text), minUsd, services);
  },

  data: tick,
});

function selectCoin(coin: string, minUsd: number, { record }: StreamServices): Selection<Trade> {
  return {
    topic: tradeTopic(coin),
    key: String(minUsd),
    accepts: ({ notionalUsd }) => notionalUsd >= minUsd,
    ...(record && { recall: (fromTs: number) => recallTrades(record, coin, fromTs) }),
  };
}

function selectMarket(text: string, minUsd: number, services: StreamServices): Selection<Trade> {
  const { record, bus, primaryVenue } = services;
  const search = { bus, primaryVenue, markets: record?.markets };
  const name = liveMarket(search, services.knownCoins(), { word: 'Parameter', text, scope: 'one' });
  if (name.market === undefined || !record) return selectCoin(name.symbol, minUsd, services);
  const { tape, coverage, coin, inCoins, market: own } = followedTape(record, name);
  const owner = { coin, venue: own?.venue ?? primaryVenue };
  const marketRecord: StreamRecord = { ...record, tape, coverage };
  return {
    topic: tape.topicOf(coin),
    key: String(minUsd),
    accepts: (trade) => minUsd === 0 || inCoins(trade).notionalUsd >= minUsd,
    recall: (fromTs) => recallTrades(marketRecord, coin, fromTs, owner),
    sources: tradeSources(name, services),
    data: (trade) => ({ ...tick(inCoins(trade)), market: name.market }),
  };
}

function tick({ coin, side, price, size, notionalUsd, ts, venue, tid, venueTs }: Trade) {
  return { coin, side, price, size, notionalUsd, ts, venue, tid, venueTs };
}

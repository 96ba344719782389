import type { Print } from '@crosstape/core';
import { Type } from 'typebox';
import { printTopic, VENUE_PRINT_MIN_USD, type VenuePrint, venuePrintTopic } from '../../../topics.ts';
import { Failure } from '../../../platform/errors.ts';
import type { Selection } from '../../../sse/event-stream.ts';
import { marketKey } from '../../../store/market-key.ts';
import { marketParameter } from '../../market-tape/chosen-tape.ts';
import { liveMarket } from '../../market-tape/find-market.ts';
import { allTradeSources, tradeSources } from '../../market-tape/followed-tape.ts';
import { coinName, defaulted } from '../../../http/parameter.ts';
import { recallPrints } from '../../tape/recall-events.ts';
import { WhaleTick } from '../../perps/schema.ts';
import { Bye, Heartbeat } from '../../tape/stream-schema.ts';
import { knownCoin, stream, type StreamServices } from '../../stream.ts';
import { recallVenuePrints } from '../recall-venue-prints.ts';
import { venuesParameter, venueTick, whaleTick } from '../whale-tick.ts';

/** Its ledger shows when the feed was down, as that of every coin does. */
const ANY_COIN = 'BTC';

export const whales = stream({
  definition: {
    path: '/streams/whales',
    summary: 'Stream of large prints',
    description:
      'Taker orders of the primary venue, or with `market` of that market, or with `venues=all` of every recorded market, with at least the given notional, all fills of an order as one print. Of other venues than the primary orders below 10,000 USD are not published. After a resume repeats are possible: identify them by `coin`, `ts` and `tid`.',
    query: Type.Object({
      minUsd: defaulted(Type.Number({ minimum: 0, description: 'Smallest notional in USD.' }), 100_000),
      coin: Type.Optional(
        coinName({
          description: "The primary venue's ticker, in any case; omitted, all coins.",
          examples: ['BTC'],
        }),
      ),
      market: marketParameter,
      venues: venuesParameter,
    }),
    events: { whale: WhaleTick, heartbeat: Heartbeat, bye: Bye },
    errors: ['not_found', 'upstream_unavailable'],
  },
  eventName: 'whale',
  sources: (publisher) => [[{ publisher, gives: 'trades' }]],

  select({ minUsd, coin: text, market, venues }, services): Selection<Print> {
    if (market !== undefined || venues === 'all')
      return selectVenues({ minUsd, coin: text, market, venues }, services) as unknown as Selection<Print>;
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

interface VenueQuery {
  readonly minUsd: number;
  readonly coin: string | undefined;
  readonly market: string | undefined;
  readonly venues: 'primary' | 'all' | undefined;
}

/** Prints of one market, or of all. */
function selectVenues(query: VenueQuery, services: StreamServices): Selection<VenuePrint> {
  const { minUsd, market: id, venues } = query;
  const given = [query.coin, id, venues === 'all' ? venues : undefined].filter((one) => one !== undefined);
  if (id !== undefined && given.length > 1)
    throw new Failure('bad_request', 'Parameter `market` excludes `coin` and `venues`.');
  if (minUsd < VENUE_PRINT_MIN_USD)
    throw new Failure(
      'bad_request',
      `Parameter \`minUsd\` must be at least ${VENUE_PRINT_MIN_USD} with \`market\` or \`venues=all\`.`,
    );
  const coin = query.coin === undefined ? undefined : knownCoin(services, query.coin);
  const named = id === undefined ? undefined : namedMarket(id, services);
  const { record } = services;
  return {
    topic: venuePrintTopic,
    key: JSON.stringify([minUsd, coin, named?.id]),
    accepts: (print) =>
      print.notionalUsd >= minUsd &&
      (coin === undefined || print.coin === coin) &&
      (named === undefined || print.market === named.id),
    sources: named ? tradeSources(named.topic, services) : allTradeSources(coin, services),
    data: venueTick,
    ...(record && {
      recall: (fromTs: number) =>
        recallVenuePrints(record, { minUsd, coin: named?.topic.symbol ?? coin, market: named?.id }, fromTs),
    }),
  };
}

function namedMarket(text: string, services: StreamServices) {
  const { record, bus, primaryVenue } = services;
  const search = { bus, primaryVenue, markets: record?.markets };
  const topic = liveMarket(search, services.knownCoins(), { word: 'Parameter', text, scope: 'one' });
  return { topic, id: topic.market ?? marketKey(primaryVenue, topic.symbol) };
}

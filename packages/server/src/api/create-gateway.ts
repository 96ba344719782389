import { MARKET_BOOKS_MAX } from '@crosstape/venues';
import { followedMarket } from '../features/candles/candle-market.ts';
import type { CandleReader } from '../features/candles/candle-reader.ts';
import { createCandleReplay } from '../features/candles/candle-replay.ts';
import { gatewayChannels } from '../features/channels.ts';
import { liveMarket } from '../features/market-tape/find-market.ts';
import { followedTape } from '../features/market-tape/followed-tape.ts';
import type { MarketReader } from '../features/market-tape/market-reader.ts';
import { awaitPrimaryCoins } from '../features/markets/await-primary-coins.ts';
import { FollowedBooks } from '../features/orderbook/followed-books.ts';
import { buildOperation, type BuildOperationOptions } from '../features/rotations/build-operation.ts';
import type { TapeCoverage } from '../features/tape/tape-coverage.ts';
import type { TapeReader } from '../features/tape/tape-reader.ts';
import { createTradeBackfill } from '../features/tape/trade-backfill.ts';
import { type Gateway, type GatewayOptions as TransportOptions, openGateway } from '../gateway/gateway.ts';

/** This many coins fit into the primary venue's subscription limit: two for each book, besides the trades. */
const PRIMARY_BOOKS_MAX = 200;

export interface GatewayOptions
  extends Omit<
      TransportOptions,
      'channels' | 'channelContext' | 'operations' | 'backfills' | 'knownSymbols' | 'knownMarket'
    >,
    Pick<BuildOperationOptions, 'rotations' | 'countBuild'> {
  readonly tape: TapeReader;
  readonly candles: CandleReader;
  readonly coverage: TapeCoverage;
  readonly markets?: MarketReader | undefined;
  readonly primaryVenue: string;
  /** Coins with flow figures. */
  readonly flowCoins: readonly string[];
}

/** The gateway with the channels and operations of all features. */
export function createGateway(options: GatewayOptions): Gateway {
  const { clock, bus, primaryVenue } = options;
  const knownCoins = () => awaitPrimaryCoins(clock, bus, primaryVenue);
  const shared = { clock, bus, isShared: options.settings.quota !== 'off' };
  const books = new FollowedBooks({ ...shared, feed: 'books', of: 'coins', booksMax: PRIMARY_BOOKS_MAX });
  const marketBooks = new FollowedBooks({
    ...shared,
    feed: 'market-books',
    of: 'other markets',
    booksMax: MARKET_BOOKS_MAX,
  });
  const channelContext = { ...options, books, marketBooks };
  return openGateway({
    ...options,
    channels: gatewayChannels,
    channelContext,
    operations: [buildOperation({ ...options, knownCoins })],
    backfills: {
      trades: createTradeBackfill({ clock, bus, tapeOf: (name) => followedTape(options, name) }),
      candles: createCandleReplay({
        clock,
        candles: options.candles,
        marketOf: (name) => followedMarket(options, name),
      }),
    },
    knownSymbols: knownCoins,
    knownMarket: async (text, scope) =>
      liveMarket(options, await knownCoins(), { word: 'Field', text, scope }),
  });
}

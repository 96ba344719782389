import type { Static, TObject, TProperties } from 'typebox';
import type {
  TopicRequest,
  ChannelContext as GatewayContext,
  GatewayChannel,
  Publish,
  Source,
} from '../gateway/gateway-channel.ts';
import type { QueryOf } from '../http/read-query.ts';
import type { MarketReader } from './market-tape/market-reader.ts';
import type { FollowedBooks } from './orderbook/followed-books.ts';
import type { TapeCoverage } from './tape/tape-coverage.ts';
import type { TapeReader } from './tape/tape-reader.ts';

/** Available to the channels of all features. */
export interface ChannelContext extends GatewayContext {
  readonly tape: TapeReader;
  readonly coverage: TapeCoverage;
  /** The tapes of other venues; absent where only the primary's is recorded. */
  readonly markets?: MarketReader | undefined;
  /** Coins with flow figures. */
  readonly flowCoins: readonly string[];
  /** Order books of the primary venue that have subscribers, by coin. */
  readonly books: FollowedBooks;
  /** Those of other venues' markets, by symbol. */
  readonly marketBooks: FollowedBooks;
}

interface GatewayChannelOptions<Params extends TProperties, Payload extends TObject>
  extends Omit<GatewayChannel, 'params' | 'payload' | 'symbols' | 'open'> {
  readonly params?: Params;
  readonly payload: Payload;
  symbols?(context: ChannelContext): readonly string[];
  open(
    request: TopicRequest<QueryOf<TObject<Params>>>,
    publish: Publish<Static<Payload>>,
    context: ChannelContext,
  ): Source<Static<Payload>>;
}

/** Parameters and payload are typed inside a channel; outside, all channels have the same type. */
export function gatewayChannel<Payload extends TObject, Params extends TProperties = Record<never, never>>(
  options: GatewayChannelOptions<Params, Payload>,
): GatewayChannel {
  return {
    params: {},
    ...(options as unknown as Omit<GatewayChannel, 'params'>),
  };
}

import type { Since } from './client-frames.ts';
import type { TopicRequest, TopicName } from './gateway-channel.ts';
import type { Outbox } from './outbox.ts';
import type { Subscription } from './subscription.ts';

/** Recorded history that a subscription to a channel can begin with. */
export interface Backfill {
  /**
   * The position on the record for a subscription that joins now: call the result in the turn of the event loop that
   * joins.
   */
  cursor?(name: TopicName): Promise<() => Since | undefined>;
  /** Reads the history that `since` requests, for a client at an address. Rejects with a `Failure` when it cannot be used. */
  prepare(request: TopicRequest, since: unknown, address: string): Promise<PreparedBackfill>;
}

export interface PreparedBackfill {
  /** Sends it, then what was published meanwhile, and joins the subscription where that ends. */
  replay(target: BackfillTarget): Promise<void>;
  /** Frees resources; called once, whether it was sent or not. */
  release(): void;
}

export interface BackfillTarget {
  readonly outbox: Outbox;
  readonly subscription: Subscription;
  /** Notices that the topic had sent before the backfill was prepared. */
  readonly noticed: number;
  /** Called when the client reads too slowly. */
  readonly onStall: () => void;
}

import type { Clock, Timer } from '@crosstape/core';
import type { Bus, Unsubscribe } from '../../platform/bus.ts';
import { Failure } from '../../platform/errors.ts';
import { followTopic } from '../../topics.ts';

const FEED = 'books';
/** This many coins fit into the primary venue's subscription limit: two for each book, besides the trades. */
const COINS_MAX = 200;
/** How often subscriptions are announced; a feed leaves a coin that was not announced for three times as long. */
const SAY_EVERY_MS = 5_000;

export interface FollowedBooksOptions {
  readonly clock: Clock;
  readonly bus: Bus;
  /** Id of the venue whose books are followed. */
  readonly venue: string;
  readonly coinsMax?: number;
}

/** The coins whose order books somebody follows, which the venue is asked for as long as they do. */
export class FollowedBooks {
  readonly #options: FollowedBooksOptions;
  readonly #followers = new Map<string, number>();
  #saying: Timer | undefined;

  constructor(options: FollowedBooksOptions) {
    this.#options = options;
  }

  /** Throws a `Failure` when that would be one coin too many. */
  follow(coin: string): Unsubscribe {
    const { clock, coinsMax = COINS_MAX } = this.#options;
    const followers = this.#followers.get(coin) ?? 0;
    if (followers === 0 && this.#followers.size >= coinsMax) {
      throw new Failure(
        'overloaded',
        `The order books of ${coinsMax} coins are followed already, which is all that can be at a time; try again later.`,
      );
    }
    this.#followers.set(coin, followers + 1);
    if (followers === 0) this.#say([coin]);
    this.#saying ??= clock.every(SAY_EVERY_MS, () => this.#say([...this.#followers.keys()]));
    let isFollowing = true;
    return () => {
      if (isFollowing) this.#leave(coin);
      isFollowing = false;
    };
  }

  #leave(coin: string): void {
    const followers = (this.#followers.get(coin) ?? 0) - 1;
    if (followers > 0) this.#followers.set(coin, followers);
    else this.#followers.delete(coin);
    if (this.#followers.size > 0) return;
    this.#saying?.cancel();
    this.#saying = undefined;
  }

  #say(coins: readonly string[]): void {
    const { bus, venue } = this.#options;
    bus.publish(followTopic, { venue, feed: FEED, coins });
  }
}

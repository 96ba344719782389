import type { Clock, Timer } from '@crosstape/core';
import type { Bus } from '../../platform/bus.ts';
import { networkOf } from '../../platform/client-address.ts';
import type { SocketCaller } from '../../http/gate.ts';
import { Failure } from '../../platform/errors.ts';
import { followTopic } from '../../topics.ts';

/** How often subscriptions are announced; a feed leaves a coin that was not announced for three times as long. */
const PUBLISH_EVERY_MS = 5_000;
/**
 * While more than half of all books are followed, one address may have a quarter of them, one network half, and a pro
 * key, wherever it is used, three quarters.
 */
const CROWDED_SHARE = 1 / 2;
const ADDRESS_SHARE = 1 / 4;
const NETWORK_SHARE = 1 / 2;
const PRO_SHARE = 3 / 4;

export interface FollowedBooksOptions {
  readonly clock: Clock;
  readonly bus: Bus;
  /** Name of the feed of the books. */
  readonly feed: string;
  /** The kind of the books, for errors: `coins` or `markets`. */
  readonly of: string;
  readonly booksMax: number;
  /** Whether an address has a share of them only. */
  readonly isShared: boolean;
}

const NO_CALLER: SocketCaller = { caller: '', address: '' };

/** A book: of whom, and which coin or symbol. */
export interface BookName {
  /** Id of the publisher. */
  readonly venue: string;
  readonly name: string;
}

/** A book that is followed for a caller. */
export interface FollowedBook {
  /** It is followed for another caller from here on. */
  readonly passTo: (caller: SocketCaller) => void;
  readonly leave: () => void;
}

interface Followed {
  readonly book: BookName;
  /** The book counts for the first of them. */
  readonly followers: Set<{ caller: SocketCaller }>;
}

/** The order books that clients follow. They are requested from venues meanwhile. */
export class FollowedBooks {
  readonly #options: FollowedBooksOptions;
  readonly #followed = new Map<string, Followed>();
  #publishing: Timer | undefined;

  constructor(options: FollowedBooksOptions) {
    this.#options = options;
  }

  /** Throws a `Failure` when that would be one book too many. */
  follow(book: BookName, caller: SocketCaller = NO_CALLER): FollowedBook {
    const { clock } = this.#options;
    const key = `${book.venue} ${book.name}`;
    const known = this.#followed.get(key);
    if (!known) this.#checkRoom(caller);
    const follower = { caller };
    const followed = known ?? { book, followers: new Set() };
    followed.followers.add(follower);
    this.#followed.set(key, followed);
    if (!known) this.#publish([book]);
    this.#publishing ??= clock.every(PUBLISH_EVERY_MS, () =>
      this.#publish([...this.#followed.values()].map((one) => one.book)),
    );
    return {
      passTo: (next) => {
        follower.caller = next;
      },
      leave: () => {
        if (followed.followers.delete(follower)) this.#leave(key, followed);
      },
    };
  }

  #checkRoom(caller: SocketCaller): void {
    const { booksMax, of, isShared } = this.#options;
    const { size } = this.#followed;
    if (size >= booksMax)
      throw new Failure(
        'overloaded',
        `Order books of ${booksMax} ${of} are followed already, the maximum; try again later.`,
      );
    if (!isShared || size < booksMax * CROWDED_SHARE) return;
    const callers = Array.from(this.#followed.values(), callerOf);
    const countWith = (name: (one: SocketCaller) => string): number =>
      callers.filter((one) => name(one) === name(caller)).length;
    const isOver = isPro(caller)
      ? countWith(nameOf) >= booksMax * PRO_SHARE
      : countWith(nameOf) >= booksMax * ADDRESS_SHARE || countWith(networkName) >= booksMax * NETWORK_SHARE;
    if (isOver)
      throw new Failure(
        'overloaded',
        `${isPro(caller) ? 'Your key' : 'Your address or network'} follows its share of the ${booksMax} order books of ${of}, and most of them are taken; unsubscribe from one, or try again later.`,
      );
  }

  #leave(key: string, { followers }: Followed): void {
    if (followers.size === 0) this.#followed.delete(key);
    if (this.#followed.size > 0) return;
    this.#publishing?.cancel();
    this.#publishing = undefined;
  }

  #publish(books: readonly BookName[]): void {
    const { bus, feed } = this.#options;
    for (const venue of new Set(books.map((book) => book.venue))) {
      const coins = books.flatMap((book) => (book.venue === venue ? book.name : []));
      bus.publish(followTopic, { venue, feed, coins });
    }
  }
}

/** For whom a book is followed. */
function callerOf({ followers }: Followed): SocketCaller {
  const [first] = followers;
  return first?.caller ?? NO_CALLER;
}

function isPro({ tier }: SocketCaller): boolean {
  return tier === 'pro';
}

/** The account whose share it is: free keys share that of their address. */
function nameOf(caller: SocketCaller): string {
  return isPro(caller) ? caller.caller : caller.address;
}

/** A pro key's books count for no other account. */
function networkName(caller: SocketCaller): string {
  return isPro(caller) ? caller.caller : networkOf(caller.address);
}

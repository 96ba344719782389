import type { Clock, Timer } from '@crosstape/core';
import type { Bus, Unsubscribe } from '../../platform/bus.ts';
import { Failure } from '../../platform/errors.ts';
import { followTopic } from '../../topics.ts';

/** How often subscriptions are announced; a feed leaves a coin that was not announced for three times as long. */
const SAY_EVERY_MS = 5_000;

export interface FollowedBooksOptions {
  readonly clock: Clock;
  readonly bus: Bus;
  /** Name of the feed that gives the books. */
  readonly feed: string;
  /** What the books are of, for errors: `coins` or `markets`. */
  readonly of: string;
  readonly booksMax: number;
}

/** A book: of whom, and which coin or symbol. */
export interface BookName {
  /** Id of the publisher. */
  readonly venue: string;
  readonly name: string;
}

/** The order books that somebody follows. Venues are asked for them for as long as they do. */
export class FollowedBooks {
  readonly #options: FollowedBooksOptions;
  readonly #followed = new Map<string, { readonly book: BookName; followers: number }>();
  #saying: Timer | undefined;

  constructor(options: FollowedBooksOptions) {
    this.#options = options;
  }

  /** Throws a `Failure` when that would be one book too many. */
  follow(book: BookName): Unsubscribe {
    const { clock, booksMax, of } = this.#options;
    const key = `${book.venue} ${book.name}`;
    const known = this.#followed.get(key);
    if (!known && this.#followed.size >= booksMax) {
      throw new Failure(
        'overloaded',
        `The order books of ${booksMax} ${of} are followed already, which is all that can be at a time; try again later.`,
      );
    }
    const followed = known ?? { book, followers: 0 };
    followed.followers += 1;
    this.#followed.set(key, followed);
    if (!known) this.#say([book]);
    this.#saying ??= clock.every(SAY_EVERY_MS, () =>
      this.#say([...this.#followed.values()].map((one) => one.book)),
    );
    let isFollowing = true;
    return () => {
      if (isFollowing) this.#leave(key);
      isFollowing = false;
    };
  }

  #leave(key: string): void {
    const followed = this.#followed.get(key);
    if (!followed) return;
    followed.followers -= 1;
    if (followed.followers === 0) this.#followed.delete(key);
    if (this.#followed.size > 0) return;
    this.#saying?.cancel();
    this.#saying = undefined;
  }

  #say(books: readonly BookName[]): void {
    const { bus, feed } = this.#options;
    for (const venue of new Set(books.map((book) => book.venue))) {
      const coins = books.flatMap((book) => (book.venue === venue ? book.name : []));
      bus.publish(followTopic, { venue, feed, coins });
    }
  }
}

import { type Clock, type CoinMatch, createCoinMatcher, type Timer } from '@crosstape/core';
import type { Bus, Unsubscribe } from '../platform/bus.ts';
import { snapshotTopic } from '../topics.ts';

/** The other venues wait this long for the primary's list before they start without. */
const LIST_WAIT_MS = 5_000;
/** Coins that the primary venue counts in thousands, assumed until its list is known. */
const assumedCoins = ['kPEPE', 'kSHIB', 'kBONK', 'kFLOKI', 'kLUNC', 'kDOGS', 'kNEIRO'];

export interface PrimaryCoinsOptions {
  /** Id of the primary venue. */
  readonly venue: string;
  readonly bus: Bus;
  readonly clock: Clock;
}

/** The coins of the primary venue as it lists them now; all other venues' data are keyed by them. */
export class PrimaryCoins {
  readonly #listeners = new Set<() => void>();
  readonly #unsubscribe: Unsubscribe;
  readonly #waiting: Timer;
  #matcher = createCoinMatcher(assumedCoins);
  #listed: string | undefined;
  #isReady = false;

  constructor({ venue, bus, clock }: PrimaryCoinsOptions) {
    const topic = snapshotTopic(venue, 'instruments');
    this.#waiting = clock.after(LIST_WAIT_MS, () => this.#changed());
    this.#unsubscribe = bus.subscribe(topic, ({ rows }) => this.#list(rows));
    const latest = bus.latest(topic);
    if (latest) this.#list(latest.message.rows);
  }

  /** Whether the primary's list is known, or the wait for it is over. */
  get isReady(): boolean {
    return this.#isReady;
  }

  match(base: string): CoinMatch {
    return this.#matcher.match(base);
  }

  /** Calls whenever bases may match other coins than before, the first time when it becomes ready. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  stop(): void {
    this.#waiting.cancel();
    this.#unsubscribe();
    this.#listeners.clear();
  }

  #list(rows: readonly { readonly coin: string }[]): void {
    const coins = rows.map(({ coin }) => coin);
    const listed = coins.toSorted().join(' ');
    if (coins.length === 0 || listed === this.#listed) return;
    this.#listed = listed;
    this.#matcher = createCoinMatcher(coins);
    this.#changed();
  }

  #changed(): void {
    this.#waiting.cancel();
    this.#isReady = true;
    for (const listener of this.#listeners) listener();
  }
}

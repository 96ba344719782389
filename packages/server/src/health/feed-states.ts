import type { Clock } from '@crosstape/core';
import { type FeedState, feedState, type SourceGroups } from './feed-state.ts';
import type { Bus, Unsubscribe } from '../platform/bus.ts';
import { healthTopic } from '../topics.ts';

/** One feed's state while a client follows it. */
export interface FeedWatch {
  readonly current: FeedState;
  stop(): void;
}

type Listener = (state: FeedState) => void;

interface Watched {
  current: FeedState;
  readonly listeners: Set<Listener>;
  readonly leave: readonly Unsubscribe[];
}

/** The states of all followed feeds: computed once per set of sources, for any number of subscribers. */
export class FeedStates {
  readonly #bus: Bus;
  readonly #startedMs: number;
  readonly #watched = new Map<string, Watched>();

  constructor(bus: Bus, clock: Clock) {
    this.#bus = bus;
    this.#startedMs = clock.now();
  }

  /** Calls `onChange` whenever the state changes. To be stopped. */
  watch(groups: SourceGroups, onChange: Listener): FeedWatch {
    const key = JSON.stringify(groups);
    const watched = this.#watched.get(key) ?? this.#open(key, groups);
    watched.listeners.add(onChange);
    return {
      get current() {
        return watched.current;
      },
      stop: () => {
        watched.listeners.delete(onChange);
        if (watched.listeners.size > 0) return;
        for (const leave of watched.leave) leave();
        if (this.#watched.get(key) === watched) this.#watched.delete(key);
      },
    };
  }

  #open(key: string, groups: SourceGroups): Watched {
    const publishers = new Set(groups.flat().map(({ publisher }) => publisher));
    const leave = [...publishers].map((publisher) =>
      this.#bus.subscribe(healthTopic(publisher), () => this.#update(watched, groups)),
    );
    const watched: Watched = { current: this.#read(groups), listeners: new Set(), leave };
    this.#watched.set(key, watched);
    return watched;
  }

  #read(groups: SourceGroups): FeedState {
    const healthsOf = (publisher: string) => this.#bus.latest(healthTopic(publisher))?.message;
    return feedState(groups, healthsOf, this.#startedMs);
  }

  #update(watched: Watched, groups: SourceGroups): void {
    const { state, partial } = watched.current;
    // Later subscribers get the newest reason, also where only that changed.
    watched.current = this.#read(groups);
    if (watched.current.state === state && watched.current.partial === partial) return;
    for (const listener of watched.listeners) listener(watched.current);
  }
}

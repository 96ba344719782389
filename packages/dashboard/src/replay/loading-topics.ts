import type { systemClock } from '@crosstape/client';
import type { Topic } from '../live/topic.ts';
import type { ReplayClock, ReplayReader } from './replay-clock.ts';

type Clock = typeof systemClock;

/**
 * Holds the clock while topics load data from before the replay time: from their start until they have sent something,
 * even a failure. Polled answers do not hold it.
 */
export class LoadingTopics {
  readonly #system: Clock;
  readonly #clock: ReplayClock;
  readonly #held = new Map<string, ReplayReader>();

  constructor(system: Clock, clock: ReplayClock) {
    this.#system = system;
    this.#clock = clock;
  }

  start(topic: Topic): void {
    if (topic.from !== 'rest') this.#held.set(JSON.stringify(topic), this.#clock.join());
  }

  /** Takes that a topic has sent something. */
  note(topic: Topic): void {
    const reader = this.#take(topic);
    // Followers of history join the clock by themselves, right after it was sent.
    if (reader) this.#system.after(0, () => reader.leave());
  }

  end(topic: Topic): void {
    this.#take(topic)?.leave();
  }

  #take(topic: Topic): ReplayReader | undefined {
    if (this.#held.size === 0) return undefined;
    const key = JSON.stringify(topic);
    const reader = this.#held.get(key);
    this.#held.delete(key);
    return reader;
  }
}

import type { BarsTopic, Topic, Update } from '../live/topic.ts';

interface Bars {
  /** When the newest bar, and the previous one, began. */
  readonly startsTs: readonly number[];
  /** How many closed while it was followed. */
  readonly closed: number;
}

/** Topics that are kept: one that was left sends for a while, and may be followed again. */
const TOPICS_MAX = 8;
const none: Bars = { startsTs: [], closed: 0 };

/** Where the bars of the chart begin and close: of the topic of bars that was followed last. */
export class ChartBars {
  readonly #bars = new Map<string, Bars>();
  #topic: BarsTopic | undefined;

  get spec(): BarsTopic['spec'] | undefined {
    return this.#topic?.spec;
  }

  get closed(): number {
    return this.#shown.closed;
  }

  /** When the newest bar began. */
  get newestTs(): number | undefined {
    return this.#shown.startsTs.at(-1);
  }

  get #shown(): Bars {
    return this.#bars.get(JSON.stringify(this.#topic)) ?? none;
  }

  follow(topic: Topic): void {
    if (topic.from === 'bars') this.#topic = topic;
  }

  note(topic: Topic, { items, open, isWhole }: Omit<Update, 'atMs' | 'state'>): void {
    if (topic.from !== 'bars' || open === undefined) return;
    const key = JSON.stringify(topic);
    const before = this.#bars.get(key) ?? none;
    const bars = [...(items as readonly { readonly openTs: number }[]).slice(-2), ...(open ? [open] : [])];
    const startsTs = [...(isWhole ? [] : before.startsTs), ...bars.map(({ openTs }) => openTs)];
    this.#bars.delete(key);
    this.#bars.set(key, {
      startsTs: [...new Set(startsTs)].slice(-2),
      closed: before.closed + (isWhole ? 0 : items.length),
    });
    const [oldest] = this.#bars.keys();
    if (this.#bars.size > TOPICS_MAX && oldest !== undefined) this.#bars.delete(oldest);
  }
}

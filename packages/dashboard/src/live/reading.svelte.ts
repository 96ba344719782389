import type { AnswerOf, ChannelName, GetPath, ParamsOf, QueryOf, StreamPath } from '@crosstape/client';
import { untrack } from 'svelte';
import { isReplayed, replay } from '../replay/replay.svelte.ts';
import { failing } from './failing.svelte.ts';
import { type Freshness, freshnessOf } from './freshness.ts';
import { follow } from './line.ts';
import { now } from './now.svelte.ts';
import type { ChannelTopic, ItemOf, RestTopic, StreamTopic, Topic, Update } from './topic.ts';
import { noteSource } from './upstream.svelte.ts';

/** What a panel needs to know about the source of its figures. */
export interface Source {
  /** The followed topic; `undefined` while there is nothing to request. */
  readonly topic: Topic | undefined;
  readonly freshness: Freshness;
  /** Whether anything was received. */
  readonly isThere: boolean;
  readonly problem: string | undefined;
  /** Credits that the terms of its sources require beside the figures. */
  readonly attribution?: readonly Credit[];
}

/** Words to show beside the figures of a source, with a link. */
export interface Credit {
  readonly source: string;
  readonly text: string;
  readonly url: string;
}

/** The current state of a topic. It is followed while its component lives, and again whenever the query changes. */
export class Reading<T extends Topic> implements Source {
  readonly #topic: () => T | undefined;
  #last = $state.raw<Update<ItemOf<T>>>();
  #dataMs = $state.raw(0);
  #askedMs = $state.raw<number>();
  #items = $state.raw<readonly ItemOf<T>[]>([]);
  /** Whether everything was received, even if it is empty. */
  #isWhole = $state.raw(false);
  /** Another number whenever its freshness is in another state. */
  #turns = $state.raw(0);
  #shown: Freshness | undefined;
  /** With most updates only the age changes, and ages are shown by the second. */
  readonly #freshness = $derived.by(() => {
    void [this.#turns, now.ms, this.#topic(), replay.isOn, replay.epoch, failing.publishers];
    return (this.#shown = untrack(() => this.#judge()));
  });

  constructor(topic: () => T | undefined, itemsMax: number, onUpdate?: (update: Update<ItemOf<T>>) => void) {
    this.#topic = topic;
    // By its text: the address is another object with each click, and most clicks are not about this topic.
    const text = $derived(JSON.stringify(topic()));
    $effect(() => {
      const asked = text === undefined ? undefined : untrack(topic);
      // Live data are not shown in a replay, nor the other way round, nor data of another replay time.
      if (asked && isReplayed(asked)) void replay.epoch;
      this.#last = undefined;
      this.#items = [];
      this.#isWhole = false;
      this.#dataMs = 0;
      this.#askedMs = undefined;
      this.#turns = untrack(() => this.#turns) + 1;
      if (!asked) return undefined;
      return follow(asked, (update) => {
        this.#last = update;
        if (update.isWhole) this.#isWhole = true;
        if (update.items.length > 0) {
          this.#dataMs = update.atMs;
          this.#askedMs = update.askedMs;
          const kept = update.isWhole ? update.items : [...this.#items, ...update.items];
          this.#items = kept.length > itemsMax ? kept.slice(-itemsMax) : kept;
          if (asked.from === 'rest')
            noteSource((update.items.at(-1) as { meta: { source: string } }).meta.source);
        } else if (update.isWhole) this.#items = [];
        const { state, reason } = this.#judge();
        if (asked.from === 'rest' || state !== this.#shown?.state || reason !== this.#shown.reason)
          this.#turns += 1;
        onUpdate?.(update);
      });
    });
  }

  get topic(): T | undefined {
    return this.#topic();
  }

  /** Oldest first. */
  get items(): readonly ItemOf<T>[] {
    return this.#items;
  }

  get latest(): ItemOf<T> | undefined {
    return this.#items.at(-1);
  }

  /** For bars: the one in progress. */
  get open() {
    return this.#last?.open;
  }

  /** For an answer: its request time, in a replay that of the replay. */
  get askedMs(): number | undefined {
    return this.#askedMs;
  }

  get isThere(): boolean {
    return this.#items.length > 0 || (this.#isWhole && this.#last?.state === 'up');
  }

  get problem(): string | undefined {
    return this.#last?.problem;
  }

  /** The code of a refusal: `not_found`. */
  get code(): string | undefined {
    return this.#last?.code;
  }

  get attribution(): readonly Credit[] {
    if (this.topic?.from !== 'rest') return [];
    return (
      (this.latest as { meta?: { attribution?: readonly Credit[] } } | undefined)?.meta?.attribution ?? []
    );
  }

  get freshness(): Freshness {
    return this.#freshness;
  }

  #judge(): Freshness {
    const topic = this.#topic();
    return freshnessOf({
      topic,
      isReplayed: topic !== undefined && replay.isOn && isReplayed(topic),
      last: this.#last,
      dataMs: this.#dataMs,
      latest: this.latest,
      nowMs: now.ms,
      hasCome: this.#items.length > 0 || this.#isWhole,
      failing: failing.publishers,
    });
  }
}

type PartOf<Path extends GetPath, Part extends string> =
  AnswerOf<Path> extends { readonly [Name in Part]: infer Value } ? Value : never;

/** An answer: its `data` and `meta` as they are now. */
export class Answer<Path extends GetPath> extends Reading<RestTopic<Path>> {
  readonly #needs: Source | undefined;

  constructor(topic: () => RestTopic<Path> | undefined, needs?: Source) {
    super(topic, 1);
    this.#needs = needs;
  }

  /** While there is nothing to request because another source fails, its reason. */
  override get freshness(): Freshness {
    const { freshness } = (this.topic === undefined && this.#needs) || {};
    const isFailing = freshness?.state === 'down' || freshness?.state === 'limited';
    return isFailing ? freshness : super.freshness;
  }

  get data(): PartOf<Path, 'data'> | undefined {
    return (this.latest as { data: PartOf<Path, 'data'> } | undefined)?.data;
  }

  get meta(): PartOf<Path, 'meta'> | undefined {
    return (this.latest as { meta: PartOf<Path, 'meta'> } | undefined)?.meta;
  }
}

/**
 * Asks a path, and again before its answer is too old: `rest('/perps/oi', () => ({ coins: [coin] }), 30_000)`. `needs`
 * is the source that its query is made of, if any.
 */
export function rest<Path extends GetPath>(
  path: Path,
  query: () => QueryOf<Path> | undefined,
  everyMs: number,
  needs?: Source,
): Answer<Path> {
  return new Answer<Path>(() => {
    const asked = query();
    return asked && { from: 'rest', path, query: asked, everyMs };
  }, needs);
}

interface ChannelOptions<Channel extends ChannelName> {
  readonly itemsMax?: number;
  readonly onUpdate?: (update: Update<ItemOf<ChannelTopic<Channel>>>) => void;
}

/** Follows a channel of the gateway: `channel('markPrice', () => coin)`. */
export function channel<Channel extends ChannelName>(
  name: Channel,
  symbol: () => string | undefined,
  params: () => ParamsOf<Channel> = () => ({}) as ParamsOf<Channel>,
  { itemsMax = 1, onUpdate }: ChannelOptions<Channel> = {},
) {
  return new Reading<ChannelTopic<Channel>>(
    () => {
      const coin = symbol();
      return coin === undefined
        ? undefined
        : { from: 'channel', channel: name, symbol: coin, params: params() };
    },
    itemsMax,
    onUpdate,
  );
}

/** Follows a stream of events. */
export function stream<Path extends StreamPath>(path: Path, query: () => QueryOf<Path>, itemsMax: number) {
  return new Reading<StreamTopic<Path>>(() => ({ from: 'stream', path, query: query() }), itemsMax);
}

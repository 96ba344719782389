import { Client, type ClientOptions, systemClock } from '@crosstape/client';
import { isAggregate } from '../format/aggregates.ts';
import { Budget, budgetedFetch } from './budget.ts';
import { keptMax, runFeed, type Word } from './feeds.ts';
import { joined } from './joined-update.ts';
import { Pause } from './pause.ts';
import { isSocket, socketFor } from './socket-room.ts';
import type { FootprintTopic, ItemOf, Order, Report, ServiceWord, Topic, Update } from './topic.ts';

type FootprintBar = ItemOf<FootprintTopic>;

/** Shortest interval between updates; the first after a pause goes out at once. */
const SEND_EVERY_MS = 100;
/** A source is kept for this long after the last subscriber left, so that switching pages does not reopen it. */
const LINGER_MS = 4_000;
/** Candles of one market for longer: clicking through the lengths of a chart does not load them again and again. */
const CANDLES_LINGER_MS = 30_000;
/** A tab that was silent for this long is closed; hidden ones run once a minute. */
const SILENT_MAX_MS = 150_000;
const SWEEP_EVERY_MS = 30_000;
const WATCH_EVERY_MS = 1_000;
const LOST = 'Connection lost. Reconnecting…';
/** A socket that has not opened after this long is refused, or something between blocks it. */
const CONNECT_MAX_MS = 10_000;
const NOT_CONNECTED =
  'No live connection: the service or a proxy in front of it rejects the WebSocket. Retrying…';
/** Answers kept for subscribers that come back. */
const ANSWERS_MAX = 100;
/** The service allows an address three: one is left to the visitor's other use. */
const SOCKETS_MAX = 2;

/** Called when sources open and close. */
interface HubWatcher {
  onStart(topic: Topic): void;
  /** With everything that a topic sends, at once. */
  onSend(topic: Topic, word: Word): void;
  onEnd(topic: Topic): void;
}

export interface HubOptions {
  /** Budget of its requests; default: its own, which leaves some quota to others behind the address. */
  readonly budget?: Budget;
  /** Default: a client of the service as it is now. */
  readonly createClient?: (options: ClientOptions) => Client;
  readonly watcher?: HubWatcher;
}

/** The hub's connection to a tab. */
export interface Port {
  postMessage(report: Report): void;
}

interface Follower {
  readonly port: Port;
  readonly id: number;
}

/** A client with its own socket, which is open while something is followed over it. */
interface Wire {
  readonly client: Client;
  isOnline: boolean;
  hasBeenOnline: boolean;
}

/** A source and its followers. */
interface Source {
  readonly topic: Topic;
  readonly wire: Wire;
  readonly startedMs: number;
  readonly followers: Set<Follower>;
  readonly ending: AbortController;
  readonly items: unknown[];
  readonly itemsMax: number;
  readonly pause: Pause;
  /** Whether everything has been sent. */
  isWhole: boolean;
  last: Omit<Update, 'items' | 'isWhole'>;
  /** Not sent yet. */
  pending: Update | undefined;
}

/**
 * Holds the connections of this browser and all its requests: one socket, and a second one while more topics are
 * followed than one may carry. Runs in a worker that all tabs share; each topic is requested once, however many panels
 * of however many tabs follow it.
 */
export class Hub {
  readonly #url: string;
  readonly #wires: readonly Wire[];
  readonly #budget: Budget;
  readonly #createClient: (options: ClientOptions) => Client;
  readonly #watcher: HubWatcher | undefined;
  /** A replay has no socket. */
  readonly #isLive: boolean;
  readonly #sources = new Map<string, Source>();
  readonly #ports = new Map<Port, { receivedMs: number; readonly followers: Map<number, Source> }>();
  readonly #answers = new Map<string, Update>();
  readonly #timers: readonly { cancel(): void }[];
  #isSending = false;
  #sentMs = 0;
  /** Feeds that fail, by the newest health of the service. */
  #failing: ReadonlySet<string> = new Set();

  constructor(url: string, { budget, createClient, watcher }: HubOptions = {}) {
    this.#url = url;
    this.#budget = budget ?? new Budget(systemClock);
    this.#createClient = createClient ?? ((options) => new Client(options));
    this.#isLive = createClient === undefined;
    this.#watcher = watcher;
    const fetch = budgetedFetch(this.#budget, url);
    this.#wires = Array.from({ length: SOCKETS_MAX }, () => ({
      client: this.#createClient({ url, fetch }),
      isOnline: false,
      hasBeenOnline: false,
    }));
    this.#timers = [
      systemClock.every(SWEEP_EVERY_MS, () => this.#sweep()),
      systemClock.every(WATCH_EVERY_MS, () => this.#watchSockets()),
    ];
  }

  /** Ends all sources; nothing is sent afterwards. */
  close(): void {
    for (const timer of this.#timers) timer.cancel();
    for (const { ending } of this.#sources.values()) ending.abort();
    this.#sources.clear();
    this.#ports.clear();
  }

  take(port: Port, order: Order): void {
    if (order.op === 'alerts') return;
    if (order.op === 'bye') return this.#forget(port);
    const tab = this.#tabOf(port);
    tab.receivedMs = systemClock.now();
    if (order.op === 'follow') {
      if (tab.followers.has(order.id)) return;
      const source = this.#sourceOf(order.topic);
      tab.followers.set(order.id, source);
      // A new subscriber gets everything at once, and must not get the newest twice.
      sendOne(source);
      source.followers.add({ port, id: order.id });
      if (source.last.atMs > 0) {
        const { last, items, isWhole } = source;
        port.postMessage({ id: order.id, update: { ...last, items, ...(isWhole && { isWhole }) } });
      }
    } else if (order.op === 'leave') {
      const source = tab.followers.get(order.id);
      tab.followers.delete(order.id);
      if (source) this.#leave(source, port, order.id);
    }
  }

  /** A client without retries: repeated requests report failures and waits at once. */
  #asker(send: (word: Word) => void): Client {
    const onWait = (limitedUntilMs: number): void => send({ items: [], limitedUntilMs });
    const fetch = budgetedFetch(this.#budget, this.#url, onWait);
    // Asked again, it is to be the newest: the browser's own copy may be from before a source failed.
    const fresh: typeof fetch = (input, init) => fetch(input, { ...init, cache: 'no-cache' });
    return this.#createClient({ url: this.#url, fetch: fresh, retries: 0 });
  }

  #tabOf(port: Port): { receivedMs: number; readonly followers: Map<number, Source> } {
    const known = this.#ports.get(port) ?? { receivedMs: 0, followers: new Map<number, Source>() };
    this.#ports.set(port, known);
    return known;
  }

  #sourceOf(topic: Topic): Source {
    const key = JSON.stringify(topic);
    const known = this.#sources.get(key);
    if (known) return known;
    const [first] = this.#wires as readonly [Wire];
    // Lingering topics make room before another socket is opened. If none does, the gateway refuses the topic and its
    // panel shows why.
    const isFull = isSocket(topic) && this.#wireFor(topic) !== first;
    if (isFull) this.#endIdle();
    const source: Source = {
      topic,
      wire: (isSocket(topic) && this.#wireFor(topic)) || first,
      startedMs: systemClock.now(),
      followers: new Set(),
      ending: new AbortController(),
      items: [],
      itemsMax: keptMax(topic),
      pause: new Pause(),
      isWhole: false,
      last: { atMs: 0, state: 'up' },
      pending: undefined,
    };
    this.#sources.set(key, source);
    this.#watcher?.onStart(topic);
    void this.#run(key, source, isFull);
    return source;
  }

  /** A socket with room for a topic. */
  #wireFor(topic: Topic): Wire | undefined {
    const taken = [...this.#sources.values()].filter((source) => isSocket(source.topic));
    const carried = this.#wires.map((one) =>
      taken.filter(({ wire }) => wire === one).map((source) => source.topic),
    );
    return this.#wires[socketFor(topic, carried)];
  }

  #endIdle(): void {
    for (const source of this.#sources.values())
      if (source.followers.size === 0 && isSocket(source.topic)) this.#end(source);
  }

  async #run(key: string, source: Source, isLate: boolean): Promise<void> {
    const { topic, ending, pause } = source;
    const { client } = source.wire;
    const { signal } = ending;
    // Topics that made room unsubscribe first.
    if (isLate) await client.wait(0, { signal }).catch(() => {});
    const kept = this.#answers.get(key);
    if (kept && topic.from === 'rest') {
      this.#send(key, source, kept);
      const ageMs = systemClock.now() - kept.atMs;
      if (ageMs < topic.everyMs) await client.wait(topic.everyMs - ageMs, { signal }).catch(() => {});
    }
    const send = (word: Word): void => {
      this.#watcher?.onSend(topic, word);
      this.#send(key, source, { state: 'up', ...word, atMs: systemClock.now() });
    };
    const isAsked = topic.from === 'rest' || topic.from === 'service';
    await runFeed({ client: isAsked ? this.#asker(send) : client, topic, signal, send, pause });
  }

  #send(key: string, source: Source, news: Update): void {
    if (source.ending.signal.aborted) return;
    const { status = source.last.status } = news;
    const update = status === undefined ? news : { ...news, status };
    const { items, isWhole, ...rest } = update;
    if (source.topic.from === 'service') this.#noteFailing(items as readonly ServiceWord[]);
    const { gap, open, askedMs } = source.last;
    source.last = {
      ...(gap && { gap }),
      ...(open !== undefined && { open }),
      ...(askedMs !== undefined && { askedMs }),
      ...rest,
    };
    if (isWhole) source.items.length = 0;
    source.isWhole ||= isWhole === true || items.length > 0;
    for (const item of items) keep(source, item);
    if (source.items.length > source.itemsMax) source.items.splice(0, source.items.length - source.itemsMax);
    if (source.topic.from === 'rest' && items.length > 0) this.#keep(key, update);
    source.pending = source.pending ? joined(source.pending, update) : update;
    if (this.#isSending) return;
    this.#isSending = true;
    // A clock that is set back must not stop the figures.
    const dueMs = this.#sentMs + SEND_EVERY_MS - systemClock.now();
    const waitMs = Math.min(SEND_EVERY_MS, Math.max(0, dueMs));
    systemClock.after(waitMs, () => this.#sendAll());
  }

  /** Answers made from a source that has just failed or recovered are requested again, and so are failed ones. */
  #noteFailing(words: readonly ServiceWord[]): void {
    const failing = words.at(-1)?.health.failing;
    if (!failing) return;
    const before = this.#failing;
    const now = new Set(failing.flatMap(({ feeds }) => feeds));
    this.#failing = now;
    const changed = [...before, ...now].filter((feed) => before.has(feed) !== now.has(feed));
    const publishers = new Set(changed.map(publisherOf));
    if (publishers.size === 0) return;
    for (const { topic, items, last, pause } of this.#sources.values()) {
      if (topic.from !== 'rest') continue;
      const isConcerned =
        topic.path === '/sources' || sourcesOf(items.at(-1)).some((one) => publishers.has(one));
      if (isConcerned || last.state === 'down') pause.end();
    }
  }

  #keep(key: string, update: Update): void {
    this.#answers.delete(key);
    this.#answers.set(key, update);
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > ANSWERS_MAX && oldest !== undefined) this.#answers.delete(oldest);
  }

  #sendAll(): void {
    this.#isSending = false;
    this.#sentMs = systemClock.now();
    for (const source of this.#sources.values()) sendOne(source);
  }

  /** A client reconnects by itself when its socket breaks; meanwhile the panels must show it. */
  #watchSockets(): void {
    for (const wire of this.#wires) this.#watch(wire);
  }

  #watch(wire: Wire): void {
    const { isOnline } = wire.client;
    const wasOnline = wire.isOnline;
    if (isOnline && wasOnline) return;
    wire.isOnline = isOnline;
    wire.hasBeenOnline ||= isOnline;
    for (const [key, source] of this.#sources) {
      if (source.wire !== wire || !isSocket(source.topic)) continue;
      // A socket that reconnected, delivered and was lost again between two checks has been up since.
      const isMistaken = wire.hasBeenOnline && source.last.state === 'up' && source.last.atMs > 0;
      const nowMs = systemClock.now();
      const isShut = source.last.state === 'up' && nowMs - source.startedMs >= CONNECT_MAX_MS;
      const word = { items: [], atMs: nowMs };
      if (isOnline) this.#send(key, source, { ...word, state: 'up' });
      else if (wasOnline || isMistaken) this.#send(key, source, { ...word, state: 'down', problem: LOST });
      else if (isShut && this.#isLive && needsSocket(source.topic))
        this.#send(key, source, { ...word, state: 'down', problem: NOT_CONNECTED });
    }
  }

  #leave(source: Source, port: Port, id: number): void {
    for (const follower of source.followers)
      if (follower.port === port && follower.id === id) source.followers.delete(follower);
    if (source.followers.size > 0) return;
    const lingerMs = isOfCandles(source.topic) ? CANDLES_LINGER_MS : LINGER_MS;
    systemClock.after(lingerMs, () => {
      if (source.followers.size === 0 && !source.ending.signal.aborted) this.#end(source);
    });
  }

  #end(source: Source): void {
    source.ending.abort();
    this.#sources.delete(JSON.stringify(source.topic));
    this.#watcher?.onEnd(source.topic);
  }

  #forget(port: Port): void {
    const tab = this.#ports.get(port);
    this.#ports.delete(port);
    for (const [id, source] of tab?.followers ?? []) this.#leave(source, port, id);
  }

  #sweep(): void {
    const beforeMs = systemClock.now() - SILENT_MAX_MS;
    for (const [port, { receivedMs }] of this.#ports) if (receivedMs < beforeMs) this.#forget(port);
  }
}

/** Candles of several markets are polled every few seconds, and must not linger. */
function isOfCandles(topic: Topic): boolean {
  return topic.from === 'bars' && 'interval' in topic.spec && !isAggregate(topic.spec.market);
}

/** Whether a topic is not followed without a socket: candles of several markets are requested, prints may all be recorded. */
function needsSocket(topic: Topic): boolean {
  if (topic.from !== 'bars') return topic.from === 'channel' || topic.from === 'book';
  return !('interval' in topic.spec) || !isAggregate(topic.spec.market);
}

/** Items with a name take the place of those that had it. */
function keep({ topic, items }: Source, item: unknown): void {
  const at = topic.from === 'footprints' ? items.findLastIndex((one) => isSameBar(one, item)) : -1;
  if (at < 0) items.push(item);
  else items[at] = item;
}

function isSameBar(one: unknown, other: unknown): boolean {
  return (one as FootprintBar).openTs === (other as FootprintBar).openTs;
}

/** `okx-spot:tickers` is of `okx-spot`. */
function publisherOf(feed: string): string {
  return feed.slice(0, feed.indexOf(':'));
}

/** The sources of an answer: `sim:hyperliquid+sim:okx` names two, `replay:okx` one. */
function sourcesOf(answer: unknown): readonly string[] {
  const { source = '' } = (answer as { meta?: { source?: string } } | undefined)?.meta ?? {};
  return source.split('+').map((one) => one.replace(/^(sim|replay):/, ''));
}

function sendOne(source: Source): void {
  const { pending, followers } = source;
  source.pending = undefined;
  if (!pending) return;
  const byPort = new Map<Port, number[]>();
  for (const { port, id } of followers) byPort.set(port, [...(byPort.get(port) ?? []), id]);
  for (const [port, [id = 0, ...others]] of byPort)
    port.postMessage({ id, ...(others.length > 0 && { others }), update: pending });
}

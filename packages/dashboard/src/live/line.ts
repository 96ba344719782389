import { type AnswerOf, type GetPath, type QueryOf, systemClock } from '@crosstape/client';
import type { BuildSpec } from '@crosstape/client/bars';
import { afterFrames } from './after-frames.ts';
import type { AlertRule, Met } from '../alerts/alert-rule.ts';
import { joined } from './joined-update.ts';
import type { Bar, BarsTopic, HubReport, ItemOf, Order, Report, RestTopic, Topic, Update } from './topic.ts';

/** A tab reports that it is open, well before the hub considers it closed. */
const ALIVE_EVERY_MS = 20_000;
/** Nothing is drawn more often. */
const DRAW_EVERY_MS = 100;
/** Drawing is spread over this many frames, so that a page with many panels keeps each of them short. */
const FRAMES_MAX = 4;

type Listener = (update: Update) => void;

/** A source that replaces the hub for some topics, such as a replay. */
export interface Detour {
  takes(topic: Topic): boolean;
  send(order: Order): void;
}
type AlertReport = Exclude<HubReport, Report>;

/** This tab's connection to the hub. Nothing is followed while the tab is hidden. */
class Line {
  readonly #send: (order: Order) => void;
  readonly #listeners = new Map<number, { readonly topic: Topic; readonly send: Listener }>();
  /** Listeners that have received something. */
  readonly #served = new Set<number>();
  /** Updates not drawn yet, by listener id. */
  #waiting = new Map<number, Update>();
  #lastId = 0;
  #drawnMs = 0;
  #isDrawing = false;
  #detour: Detour | undefined;
  onAlert: ((report: AlertReport) => void) | undefined;

  constructor() {
    this.#send = openHub((report) => {
      if ('update' in report) this.#receive(report);
      else this.onAlert?.(report);
    });
    systemClock.every(ALIVE_EVERY_MS, () => this.#live());
    document.addEventListener('visibilitychange', () => (document.hidden ? this.#rest() : this.#resume()));
    addEventListener('pagehide', () => this.#send({ op: 'bye' }));
    addEventListener('pageshow', ({ persisted }) => persisted && this.#resume());
  }

  follow(topic: Topic, send: Listener): () => void {
    const id = (this.#lastId += 1);
    this.#listeners.set(id, { topic, send });
    if (!document.hidden) this.#sendOf(topic, { op: 'follow', id, topic });
    return () => {
      this.#listeners.delete(id);
      this.#served.delete(id);
      this.#sendOf(topic, { op: 'leave', id });
    };
  }

  /** Moves the topics of a detour there and returns where it sends its reports; without one, all go to the hub. */
  divert(detour: Detour | undefined): (report: Report) => void {
    for (const [id, { topic }] of this.#listeners) {
      this.#waiting.delete(id);
      this.#sendOf(topic, { op: 'leave', id });
    }
    this.#detour = detour;
    if (!document.hidden) this.#resume();
    return (report) => this.#receive(report);
  }

  #sendOf(topic: Topic, order: Order): void {
    if (this.#detour?.takes(topic)) this.#detour.send(order);
    else this.#send(order);
  }

  /** Has the hub check these rules. */
  check(rules: readonly AlertRule[], met: Met): void {
    this.#send({ op: 'alerts', rules, met });
  }

  /** Repeats what is followed: after the machine slept the hub may have dropped the tab. */
  #live(): void {
    this.#send({ op: 'alive' });
    if (!document.hidden) this.#resume();
  }

  #rest(): void {
    for (const [id, { topic }] of this.#listeners) this.#sendOf(topic, { op: 'leave', id });
  }

  #resume(): void {
    for (const [id, { topic }] of this.#listeners) this.#sendOf(topic, { op: 'follow', id, topic });
  }

  #receive({ id, others = [], update }: Report): void {
    for (const one of [id, ...others]) this.#pass(one, update);
  }

  #pass(id: number, update: Update): void {
    // The first figures of a panel are shown at once: only changes are paced.
    if (this.#listeners.has(id) && !this.#served.has(id)) {
      this.#served.add(id);
      const from = this.#detour;
      systemClock.after(0, () => {
        if (this.#detour === from) this.#listeners.get(id)?.send(update);
      });
      return;
    }
    const before = this.#waiting.get(id);
    this.#waiting.set(id, before ? joined(before, update) : update);
    if (!this.#isDrawing) this.#drawSoon();
  }

  #drawSoon(): void {
    this.#isDrawing = true;
    const waitMs = Math.max(0, this.#drawnMs + DRAW_EVERY_MS - systemClock.now());
    systemClock.after(waitMs, () => {
      this.#drawnMs = systemClock.now();
      const all = [...this.#waiting];
      this.#waiting = new Map();
      this.#draw(all, 0);
    });
  }

  /**
   * Every fourth listener before one animation frame, the others before the next ones: listeners of the same topic are
   * adjacent. Before and not within it: a chart requests a frame itself, which is then the same one.
   */
  #draw(all: readonly (readonly [id: number, update: Update])[], first: number): void {
    for (let at = first; at < all.length; at += FRAMES_MAX) {
      const [id, update] = all[at]!;
      this.#listeners.get(id)?.send(update);
    }
    const next = first + 1;
    if (next < Math.min(FRAMES_MAX, all.length)) afterFrames(1, () => this.#draw(all, next));
    else if (this.#waiting.size > 0) this.#drawSoon();
    else this.#isDrawing = false;
  }
}

/** The hub runs in a worker shared by all tabs; without shared workers, and in frames, in a dedicated one. */
function openHub(receive: (report: HubReport) => void): (order: Order) => void {
  const onMessage = ({ data }: MessageEvent<HubReport>): void => receive(data);
  // A frame on another site gets no shared worker of its own origin.
  if (typeof SharedWorker === 'undefined' || globalThis.parent !== globalThis.self) {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
    worker.addEventListener('message', onMessage);
    return (order) => worker.postMessage(order);
  }
  const { port } = new SharedWorker(new URL('./worker.ts', import.meta.url), { type: 'module' });
  port.addEventListener('message', onMessage);
  port.start();
  return (order) => port.postMessage(order);
}

let line: Line | undefined;

/** Follows a topic until the returned function is called; updates arrive at most ten times a second. */
export function follow<T extends Topic>(topic: T, send: (update: Update<ItemOf<T>>) => void): () => void {
  line ??= new Line();
  return line.follow(topic, send as Listener);
}

/** Takes some topics from elsewhere than the hub, in this tab; alerts stay with the hub. */
export function divert(detour: Detour | undefined): (report: Report) => void {
  line ??= new Line();
  return line.divert(detour);
}

/** Has the hub check rules, for all tabs, and receives the results. */
export function checkAlerts(
  rules: readonly AlertRule[],
  met: Met,
  receive: (report: AlertReport) => void,
): void {
  line ??= new Line();
  line.onAlert = receive;
  line.check(rules, met);
}

/** An answer that does not change is kept for this long. */
const ASKED_EVERY_MS = 3_600_000;

/** Asks once: the promise rejects with the reason where the service refuses or cannot be reached, or on the signal. */
export function ask<Path extends GetPath>(
  path: Path,
  query: QueryOf<Path>,
  signal: AbortSignal,
): Promise<AnswerOf<Path>> {
  const topic: RestTopic<Path> = { from: 'rest', path, query, everyMs: ASKED_EVERY_MS };
  return once(topic, ({ items }) => items.at(-1), signal);
}

/** The same for the bars of a past time, the last one included. */
export function askBars(spec: BuildSpec, signal: AbortSignal): Promise<readonly Bar[]> {
  const topic: BarsTopic = { from: 'bars', spec };
  return once(
    topic,
    ({ items, open, isWhole }) => (isWhole ? [...items, ...(open ? [open] : [])] : undefined),
    signal,
  );
}

/** The first value of a topic. */
function once<T extends Topic, Value>(
  topic: T,
  valueOf: (update: Update<ItemOf<T>>) => Value | undefined,
  signal: AbortSignal,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const leave = follow(topic, (update) => {
      const value = valueOf(update);
      if (value !== undefined) resolve(value);
      else if (update.state === 'down') reject(new Error(update.problem ?? 'The service cannot be reached.'));
      else return;
      leave();
    });
    signal.addEventListener('abort', () => {
      leave();
      reject(signal.reason as Error);
    });
  });
}

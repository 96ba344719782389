import type { Clock } from '@crosstape/core';
import type { Topic } from '../platform/bus.ts';
import { isBefore } from './bus-wire.ts';
import type { Log } from '../platform/log.ts';
import { disconnect, isConnected, type RedisLink, Script } from './redis.ts';
import { systemClock } from '../platform/system-clock.ts';

/** Callers repeat requests, so only the newest matter. */
const REQUESTS_KEPT = 4_096;
const BLOCK_MS = 1_000;
const RETRY_MS = 200;
/** Minimum interval between two identical requests. */
const REPEAT_MS = 1_000;
/** Requests remembered for that. */
const REMEMBERED_MAX = 4_096;
/** Requests in flight; beyond this new ones are dropped, because callers repeat them. */
const UNDER_WAY_MAX = 1_024;

/** The server's clock numbers the entries of a stream, so no other clock needs to agree with it. */
const timeScript = new Script(`return redis.call('TIME')`, { flags: 'no-writes,allow-oom' });

export interface BusRequestsOptions {
  readonly link: RedisLink;
  readonly connect: () => RedisLink;
  readonly prefix: string;
  readonly log: Log;
  /** Times the repetition of requests. */
  readonly clock: Clock;
  /** Called for each request of another process. */
  readonly onRequest: (topic: Topic<unknown>, message: unknown) => void;
}

/** Requests from gateways to ingesters and to other gateways. */
export class BusRequests {
  readonly #options: BusRequestsOptions;
  readonly #key: string;
  readonly #reader: RedisLink;
  readonly #sent = new Map<string, number>();
  /** Ids of messages sent from here, which are read back. */
  readonly #own = new Set<string>();
  #underWay = 0;
  #id = '$';
  #isOver = false;
  #running: Promise<void> | undefined;

  constructor(options: BusRequestsOptions) {
    this.#options = options;
    this.#key = `{${options.prefix}:asks}:log`;
    this.#reader = options.connect();
  }

  /** Receives requests from now on, or from `beforeMs` ago. Calling it again has no effect. */
  async start(beforeMs?: number): Promise<void> {
    if (this.#running) return;
    const { link } = this.#options;
    if (beforeMs === undefined) {
      const [newest] = await link.xrevrange(this.#key, '+', '-', 'COUNT', 1);
      this.#id = newest?.[0] ?? '0-0';
    } else {
      const [seconds] = (await timeScript.run(link, [this.#key], [])) as readonly Buffer[];
      this.#id = `${Math.max(0, Number(String(seconds)) * 1_000 - beforeMs)}-0`;
    }
    this.#running = this.#follow();
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    disconnect(this.#reader);
    await this.#running;
  }

  send({ name }: Topic<unknown>, message: unknown): void {
    const text = JSON.stringify(message);
    const request = `${name} ${text}`;
    const nowMs = this.#options.clock.now();
    if (nowMs - (this.#sent.get(request) ?? -Infinity) < REPEAT_MS || this.#underWay >= UNDER_WAY_MAX) return;
    this.#sent.delete(request);
    this.#sent.set(request, nowMs);
    const [oldest] = this.#sent.keys();
    if (this.#sent.size > REMEMBERED_MAX && oldest !== undefined) this.#sent.delete(oldest);
    this.#underWay += 1;
    void this.#add(name, text);
  }

  async #add(name: string, text: string): Promise<void> {
    const { link, log } = this.#options;
    try {
      const id = await link.xadd(this.#key, 'MAXLEN', '~', REQUESTS_KEPT, '*', 'name', name, 'message', text);
      if (id !== null && isBefore(this.#id, id)) this.#own.add(id);
    } catch (error) {
      log.debug({ err: error, name }, 'a demand message cannot be sent; retrying');
    } finally {
      this.#underWay -= 1;
    }
  }

  async #follow(): Promise<void> {
    while (!this.#isOver) {
      try {
        await isConnected(this.#reader);
        const found = await this.#reader.xread('BLOCK', BLOCK_MS, 'STREAMS', this.#key, this.#id);
        for (const [id, fields] of found?.[0]?.[1] ?? []) this.#take(id, fields);
      } catch (error) {
        if (this.#isOver) return;
        this.#options.log.debug({ err: error }, 'demand messages cannot be read');
        await new Promise<void>((resolve) => void systemClock.after(RETRY_MS, resolve));
      }
    }
  }

  #take(id: string, fields: readonly string[]): void {
    this.#id = id;
    if (this.#own.delete(id)) return;
    const topic = { name: fields[1] as string, keep: { kind: 'latest' }, by: 'gateway' } as const;
    this.#options.onRequest(topic, JSON.parse(fields[3] as string));
  }
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as realMs } from 'node:timers/promises';
import { ManualClock, seededRandom, SteadyClock } from '@crosstape/core';
import { readSettings, type Service, startService } from '@crosstape/server';
import { type Simulator, startSimulator } from '@crosstape/simulator';
import { allPublishers, primaryVenue } from '@crosstape/venues';
import { TestRedis } from '../packages/server/src/cluster/testing/redis-server.ts';
import { ObservedJobs } from './observed-jobs.ts';

/** A Thursday noon: sessions are open and the market moves. */
const START_MS = Date.UTC(2026, 10, 12, 12);
/** Small enough that a block, a ping and a back-off each get their own turn of the event loop. */
const STEP_MS = 50;

/** Between two requests while a condition is waited for that is read from an answer, unless a test gives it. */
const ASK_EVERY_MS = 500;

/** Of the world's time, for something that takes time of its own. */
const MEANWHILE_MAX_MS = 20 * 60_000;

/** Real time that a step takes at least while threads work in the background. */
const BACKGROUND_STEP_MS = 25;

/** The same while an answer is waited for, which may be on its way from a thread or a disk. */
const ANSWER_STEP_MS = 1;

/** A service that ends waits seconds for its clients; no test looks at what happens meanwhile. */
const ENDING_STEP_MS = 500;

/** Turns that an answer may take before it is taken to wait for the clock. */
const PATIENCE_TURNS = 200;

/** `ON_REDIS=1`: the same tests, with everything that the roles share on a Redis. */
const isOnRedis = process.env.ON_REDIS === '1';

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

export interface WorldOptions {
  readonly seed?: number;
  /** How long after noon the world begins. */
  readonly afterNoonMs?: number;
  readonly rate?: number;
  /** Past that the market is given. */
  readonly historyDays?: number;
  /** Whether none of it is created before `releaseHistory` is called. */
  readonly isHistoryHeld?: boolean;
  /** Names of the coins that venues list; default: all. Each costs time. */
  readonly coins?: readonly string[];
  /** How many coins venues list at least, by their ids. */
  readonly contracts?: Readonly<Record<string, number>>;
  /** Ids of the sources that there are besides the primary venue, or all of them. Each costs time. */
  readonly sources?: readonly string[] | 'all';
  /** Clock steps; larger ones for long stretches without delicate timing. */
  readonly stepMs?: number;
  /** Time between two looks at a condition that is read from an answer; more for what changes by the minute. */
  readonly askEveryMs?: number;
  /** From the beginning. */
  readonly faults?: readonly Parameters<Simulator['faults']['add']>[0][];
  /** Of the first start. The venues' own candles are stored only with `--backfill`. */
  readonly flags?: readonly string[];
}

/** A simulator and a service over real sockets, on one clock that the test moves. */
export class World {
  readonly clock: ManualClock;
  readonly folder = mkdtempSync(join(tmpdir(), 'crosstape-'));
  readonly simulator: Simulator;
  service!: Service;
  releaseHistory: () => void = () => undefined;
  readonly #jobs = new ObservedJobs();
  readonly #historyDays: number;
  readonly #sources: readonly string[];
  readonly #stepMs: number;
  readonly #askEveryMs: number;
  #wallAheadMs = 0;
  /** What the roles share, when the tests are to be run so. */
  readonly #redis: TestRedis | undefined;

  static async open(options: WorldOptions = {}): Promise<World> {
    const { seed = 7, rate = 1, coins, contracts = {}, faults = [] } = options;
    const clock = new ManualClock(START_MS + (options.afterNoonMs ?? 0));
    const sources = sourcesOf(options);
    const listed = coins && { coins };
    const simulator = await startSimulator({ port: 0, seed, rate, clock, contracts, sources, ...listed });
    for (const fault of faults) simulator.faults.add(fault);
    const redis = isOnRedis ? await TestRedis.start() : undefined;
    const world = new World(clock, simulator, options, redis);
    if (options.isHistoryHeld) world.releaseHistory = world.#jobs.holdHistory();
    await world.startService(options.flags);
    return world;
  }

  private constructor(clock: ManualClock, simulator: Simulator, options: WorldOptions, redis?: TestRedis) {
    this.#redis = redis;
    this.clock = clock;
    this.simulator = simulator;
    this.#historyDays = options.historyDays ?? 0;
    this.#sources = sourcesOf(options);
    this.#stepMs = options.stepMs ?? STEP_MS;
    this.#askEveryMs = options.askEveryMs ?? ASK_EVERY_MS;
  }

  async startService(flags: readonly string[] = []): Promise<void> {
    const base = [
      '--port',
      '0',
      '--upstream',
      'sim',
      '--sim-url',
      this.simulator.url,
      '--data',
      this.folder,
      '--sim-history-days',
      String(this.#historyDays),
      ...(this.#redis ? ['--redis', this.#redis.url] : []),
      ...flags,
    ];
    const settings = {
      ...readSettings(base, { RECORD_MARKETS: 'primary', BACKFILL: 'off' }, allPublishers).settings,
      sources: this.#sources,
    };
    const timers = this.clock;
    const clock = new SteadyClock({
      wallMs: () => timers.now() + this.#wallAheadMs,
      monotonicMs: () => timers.now(),
      after: (delayMs, run) => timers.after(delayMs, run),
      every: (periodMs, run) => timers.every(periodMs, run),
    });
    const startJobs = this.#jobs.start;
    this.service = await startService({ settings, log: quiet, clock, random: seededRandom(1), startJobs });
  }

  /** Sets the clock of the service's machine. Its timers, the venues and the test continue as before. */
  setWallClock(aheadMs: number): void {
    this.#wallAheadMs = aheadMs;
  }

  /** Address of the Redis that the roles share. */
  get redisUrl(): string {
    if (!this.#redis) throw new Error('this world has no Redis');
    return this.#redis.url;
  }

  /** Lets time pass, with room for the sockets after each step. */
  async run(forMs: number, stepMs = this.#stepMs): Promise<void> {
    const untilMs = this.clock.now() + forMs;
    while (this.clock.now() < untilMs) await this.#step(stepMs);
  }

  /**
   * Lets time pass until something holds; fails when it does not within `withinMs` of the world's time. What is read from
   * an answer is requested now and then, everything else is looked at after every step.
   */
  async until(holds: () => boolean | Promise<boolean>, withinMs: number): Promise<void> {
    const deadlineMs = this.clock.now() + withinMs;
    for (;;) {
      const condition = holds();
      const nextMs =
        typeof condition === 'boolean' ? 0 : Math.min(deadlineMs, this.clock.now() + this.#askEveryMs);
      if (await this.#answer(condition)) return;
      do {
        if (this.clock.now() >= deadlineMs) {
          throw new Error(`it did not come true within ${withinMs} ms: ${holds.toString()}`);
        }
        await this.#step();
      } while (this.clock.now() < nextMs);
    }
  }

  /** A request may itself wait for the clock, so time also passes while an answer takes long. */
  async #answer(asked: boolean | Promise<boolean>, stepMs = this.#stepMs): Promise<boolean> {
    if (typeof asked === 'boolean') return asked;
    const answered = new AbortController();
    const answer = asked.finally(() => answered.abort());
    for (let turn = 0; !answered.signal.aborted; turn += 1) {
      if (turn < PATIENCE_TURNS) await socketsSettle();
      else await Promise.all([this.#step(stepMs), realMs(ANSWER_STEP_MS)]);
    }
    return answer;
  }

  /**
   * Threads have their own time: the world's stands still for a short job, and passes slowly during work in the
   * background, which takes many seconds.
   */
  async #step(stepMs = this.#stepMs): Promise<void> {
    const { underWay } = this.#jobs;
    if (underWay.background > 0) await realMs(BACKGROUND_STEP_MS);
    while (underWay.short > 0) await realMs(1);
    this.clock.advance(stepMs);
    await socketsSettle();
  }

  /** Lets time pass until something has been answered. */
  async meanwhile<Result>(asked: Promise<Result>): Promise<Result> {
    let isSettled = false;
    const end = (): void => {
      isSettled = true;
    };
    asked.then(end, end);
    for (let turn = 0; turn < PATIENCE_TURNS && !isSettled; turn += 1) await socketsSettle();
    await this.until(() => isSettled, MEANWHILE_MAX_MS);
    return asked;
  }

  get(path: string, init?: RequestInit): Promise<Response> {
    return fetch(`${this.service.url}${path}`, init);
  }

  async json(path: string): Promise<{ status: number; body: Answer }> {
    const response = await this.get(`/api/v1${path}`);
    return { status: response.status, body: (await response.json()) as Answer };
  }

  async isReady(): Promise<boolean> {
    return (await this.get('/readyz')).status === 200;
  }

  /** A client's spare connection is given the whole drain time, which passes here. */
  async stopService(): Promise<void> {
    await this.#answer(
      this.service.stop().then(() => true),
      Math.max(this.#stepMs, ENDING_STEP_MS),
    );
  }

  async close(): Promise<void> {
    await this.stopService();
    await this.#jobs.close();
    await this.simulator.close();
    await this.#redis?.close();
    rmSync(this.folder, { recursive: true });
  }
}

function sourcesOf({ sources = [] }: WorldOptions): readonly string[] {
  return sources === 'all' ? allPublishers.map(({ id }) => id) : [primaryVenue.id, ...sources];
}

export interface Answer {
  readonly data: readonly Readonly<Record<string, unknown>>[];
  readonly error?: string;
  readonly meta: Readonly<Record<string, unknown>>;
}

/** A loopback message needs a few turns of the event loop from one end to the other. */
async function socketsSettle(): Promise<void> {
  for (let turn = 0; turn < 6; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

import { type Clock, DAY_MS, type Timer } from '@crosstape/core';
import { type Log, warnOnce, type WarnOnce } from '../../platform/log.ts';
import type { Entry, Key, Store, Table } from '../../store/store.ts';

/** How often counts are written; a killed process loses the rest. */
const WRITE_EVERY_MS = 5_000;
/** Keys with unwritten counts; others are not counted until there is room. */
const PENDING_MAX = 100_000;
/** Keys written in one commit. */
const BATCH = 500;
/** A key has a row for every process that counts: on Redis, for every container ever started. */
const ROWS_AT_A_TIME = 100;

export interface Usage {
  /** Requests of this day, UTC. */
  readonly today: number;
  readonly total: number;
  readonly lastUsedAtMs?: number;
}

interface Count {
  /** Days since the epoch. */
  day: number;
  today: number;
  total: number;
  lastUsedAtMs: number;
}

interface UsageOptions {
  readonly clock: Clock;
  readonly store: Store;
  readonly log: Log;
  /** Names the rows of this process: no other may write them at the same time. */
  readonly writer: string;
}

/** How much each key is used. Counted in memory, written lazily. */
export class KeyUsage {
  readonly #clock: Clock;
  readonly #store: Store;
  readonly #warn: WarnOnce;
  readonly #writer: string;
  readonly #rows: Table<Count>;
  readonly #timer: Timer;
  #pending = new Map<string, Count>();
  #writing: Promise<void> = Promise.resolve();

  constructor({ clock, store, log, writer }: UsageOptions) {
    this.#clock = clock;
    this.#store = store;
    this.#warn = warnOnce(log);
    this.#writer = writer;
    this.#rows = store.table<Count>('key-usage', 'json');
    this.#timer = clock.every(WRITE_EVERY_MS, () => void this.write());
  }

  count(id: string): void {
    const nowMs = this.#clock.now();
    const day = Math.floor(nowMs / DAY_MS);
    let count = this.#pending.get(id);
    if (!count) {
      if (this.#pending.size >= PENDING_MAX) {
        this.#warn('full', { keys: PENDING_MAX }, 'uses of too many keys wait to be written');
        return;
      }
      this.#pending.set(id, (count = { day, today: 0, total: 0, lastUsedAtMs: nowMs }));
    }
    if (count.day !== day) {
      count.day = day;
      count.today = 0;
    }
    count.today += 1;
    count.total += 1;
    count.lastUsedAtMs = nowMs;
  }

  async of(id: string): Promise<Usage> {
    await this.#writing;
    const counts: Count[] = [];
    let to: Key | undefined = [id, '\uffff'];
    while (to) {
      const rows: readonly Entry<Count>[] = await this.#rows.range({
        from: [id],
        to,
        reverse: true,
        limit: ROWS_AT_A_TIME,
      });
      counts.push(...rows.map(({ value }) => value));
      to = rows.length < ROWS_AT_A_TIME ? undefined : rows.at(-1)?.key;
    }
    const pending = this.#pending.get(id);
    return this.#sum([...counts, ...(pending ? [pending] : [])]);
  }

  /** Usage of every key that was ever used. */
  async all(limit: number): Promise<ReadonlyMap<string, Usage>> {
    const counts = new Map<string, Count[]>();
    for (const { key, value } of await this.#rows.range({ limit: limit * ROWS_AT_A_TIME })) {
      const id = String(key[0]);
      counts.set(id, [...(counts.get(id) ?? []), value]);
    }
    return new Map([...counts].map(([id, own]) => [id, this.#sum(own)]));
  }

  #sum(counts: readonly Count[]): Usage {
    const day = Math.floor(this.#clock.now() / DAY_MS);
    const usage = { today: 0, total: 0, lastUsedAtMs: 0 };
    for (const count of counts) {
      if (count.day === day) usage.today += count.today;
      usage.total += count.total;
      usage.lastUsedAtMs = Math.max(usage.lastUsedAtMs, count.lastUsedAtMs);
    }
    const { lastUsedAtMs, ...sums } = usage;
    return lastUsedAtMs === 0 ? sums : usage;
  }

  /** Writes pending counts. Those that fail stay pending. */
  write(): Promise<void> {
    this.#writing = this.#writing
      .then(() => this.#writeAll())
      .catch((error: unknown) =>
        this.#warn('write', { err: error }, 'the uses of keys cannot be written; they wait'),
      );
    return this.#writing;
  }

  async #writeAll(): Promise<void> {
    const ids = [...this.#pending.keys()];
    for (let i = 0; i < ids.length; i += BATCH) await this.#writeSome(ids.slice(i, i + BATCH));
  }

  async #writeSome(ids: readonly string[]): Promise<void> {
    const known = await Promise.all(ids.map((id) => this.#rows.get([id, this.#writer])));
    // Only now, and synchronously: counts added while the rows were read must be included.
    const taken = ids.map((id) => ({ id, count: this.#pending.get(id) as Count }));
    const put = taken.map(({ id, count }, i) => ({ key: [id, this.#writer], value: added(known[i], count) }));
    for (const id of ids) this.#pending.delete(id);
    try {
      await this.#store.commit([this.#rows.puts(put)]);
    } catch (error) {
      for (const { id, count } of taken) {
        const since = this.#pending.get(id);
        this.#pending.set(id, since ? added(count, since) : count);
      }
      throw error;
    }
  }

  async stop(): Promise<void> {
    this.#timer.cancel();
    await this.write();
  }
}

function added(before: Count | undefined, count: Count): Count {
  if (!before) return { ...count };
  const today = before.day === count.day ? before.today + count.today : count.today;
  return { ...count, today, total: before.total + count.total };
}

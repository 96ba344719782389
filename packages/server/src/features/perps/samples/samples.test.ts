import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DAY_MS, HOUR_MS, ManualClock, type OpenInterest } from '@crosstape/core';
import type { SamplePage, SampleSpan, VenueSample, VenueSamples } from '@crosstape/venues';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { SampleSource } from '../../../ingest/sample-client.ts';
import { RedisStore } from '../../../cluster/redis-store.ts';
import { openTestLink } from '../../../cluster/testing/redis-link.ts';
import { hasRedis } from '../../../cluster/testing/redis-server.ts';
import { LocalBus } from '../../../platform/local-bus.ts';
import { StandbyStore } from '../../../cluster/standby-store.ts';
import { LmdbStore } from '../../../store/lmdb-store.ts';
import { MemoryStore } from '../../../store/testing/memory-store.ts';
import { backfillTopic, snapshotTopic } from '../../../topics.ts';
import { Backfill } from '../../backfill/backfill.ts';
import { HistoryTable } from '../history-table.ts';
import { SampleLedger, type SampleRange } from './sample-ledger.ts';
import { SampleTasks } from './sample-task.ts';

const NOW = Date.UTC(2026, 10, 16, 12);
const LATE = { timeout: 15_000, interval: 5 };
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const interest = { kind: 'openInterest', venue: 'bybit', coin: 'BTC' } as const;
const funding = { kind: 'funding', venue: 'bybit', coin: 'BTC' } as const;

let folder: string;
let store: LmdbStore;
let ledger: SampleLedger;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crosstape-'));
  store = new LmdbStore(folder);
  ledger = new SampleLedger(store, silent);
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

it('keeps recorded samples of ten minutes and hours, and lets the history of a venue fill what is empty', async () => {
  const at = (t: number, value: number) => ({ ...interest, t, value, periodHours: 0 });
  const sample = (t: number, value: number) => ({ t, value, periodHours: 0, origin: 'venue' as const });
  await ledger.backfill(interest, [sample(NOW - HOUR_MS, 7)], []);
  await ledger.record([at(NOW, 10), at(NOW + 600_000, 11), at(NOW - HOUR_MS, 9)]);
  await ledger.backfill(interest, [sample(NOW, 1), sample(NOW - 2 * HOUR_MS, 8)], []);
  const read = async (interval: '10m' | '1h', since = 0): Promise<unknown> =>
    (await ledger.read(interest, interval, { sinceMs: since })).map(({ t, value, origin }) => [
      t - NOW,
      value,
      origin,
    ]);
  expect(await read('1h')).toEqual([
    [-2 * HOUR_MS, 8, 'venue'],
    [-HOUR_MS, 9, 'recorded'],
    [0, 10, 'recorded'],
  ]);
  expect(await read('10m', NOW)).toEqual([
    [0, 10, 'recorded'],
    [600_000, 11, 'recorded'],
  ]);
  await ledger.prune({ '10m': NOW + 2 * DAY_MS, '1h': NOW });
  expect([await read('10m'), await read('1h', NOW)]).toEqual([[], [[0, 10, 'recorded']]]);
});

it('takes over what was recorded without a ledger: before it, or by an older release in between', async () => {
  const histories = new HistoryTable(store);
  const rates = { okx: { rate: 0.0002, nativePeriodHours: 4 } };
  const primary = { ...interest, venue: 'hyperliquid' };
  await histories.append([{ coin: 'BTC', t: NOW, openInterest: 5, funding: rates }]);
  await ledger.fold(histories, 'hyperliquid');
  await ledger.record([{ ...primary, t: NOW + 600_000, value: 6, periodHours: 0 }]);
  await histories.append([{ coin: 'BTC', t: NOW + 1_200_000, openInterest: 7, funding: {} }]);
  // The next process records before it folds.
  const next = new SampleLedger(store, silent);
  await next.record([{ ...primary, t: NOW + 1_800_000, value: 8, periodHours: 0 }]);
  const all = vi.spyOn(histories, 'all');
  await next.fold(histories, 'hyperliquid');
  expect(all.mock.calls[0]?.[0]).toBe(NOW + 600_000);
  const held = await ledger.read(primary, '10m', { sinceMs: 0 });
  expect(held.map(({ t, value }) => [(t - NOW) / 600_000, value])).toEqual([
    [0, 5],
    [1, 6],
    [2, 7],
    [3, 8],
  ]);
  expect(await ledger.read({ ...funding, venue: 'okx' }, '1h', { sinceMs: 0 })).toMatchObject([
    { value: 0.0002, periodHours: 4 },
  ]);
});

it('leaves the thread to others: reads nothing before it writes, a part of the series at a time, and prunes so', async () => {
  const memory = new MemoryStore();
  let [reads, commits, turns] = [0, 0, 0];
  memory.onCommit = () => void (commits += 1);
  const table = memory.table.bind(memory);
  memory.table = <Value>(name: string, encoding: 'json' | 'binary') => {
    const opened = table<Value>(name, encoding);
    const get: typeof opened.get = (key) => {
      reads += 1;
      return opened.get(key);
    };
    return { ...opened, get };
  };
  const many = new SampleLedger(memory, silent);
  const coins = Array.from({ length: 300 }, (_, i) => `C${i}`);
  const at = (t: number) => coins.map((coin) => ({ ...interest, coin, t, value: 1, periodHours: 0 }));
  await many.record(at(NOW));
  await many.record(at(NOW + HOUR_MS));
  expect([reads, commits]).toEqual([0, 4]);
  const count = (): void => {
    turns += 1;
    immediate = setImmediate(count);
  };
  let immediate = setImmediate(count);
  await many.prune({ '10m': NOW, '1h': NOW });
  clearImmediate(immediate);
  expect(turns).toBeGreaterThanOrEqual(8);
  expect(await many.read({ ...interest, coin: 'C7' }, '1h', { sinceMs: 0 })).toHaveLength(2);
});

it('continues writing after a damaged block, reports it once, and serves the surrounding samples', async () => {
  const reported: string[] = [];
  const log = { error: (fields: object) => void reported.push(String((fields as { err: unknown }).err)) };
  const damaged = new SampleLedger(store, log);
  const at = (t: number) => ({ ...interest, t, value: 1, periodHours: 0 });
  await damaged.record([at(NOW - DAY_MS), at(NOW)]);
  const startTs = NOW - (NOW % DAY_MS);
  const bytes = { key: ['openInterest:bybit:BTC', startTs], value: new Uint8Array(5) };
  await store.commit([store.table('samples-10m', 'binary').puts([bytes])]);
  await damaged.record([at(NOW + 600_000), at(NOW + DAY_MS)]);
  for (let n = 0; n < 2; n += 1)
    expect((await damaged.read(interest, '10m', { sinceMs: 0 })).map(({ t }) => t)).toEqual([
      NOW - DAY_MS,
      NOW + DAY_MS,
    ]);
  expect(reported).toEqual([expect.stringContaining('is damaged: a block of 19 bytes')]);
});

it.runIf(hasRedis)('loses no sample when another recorder takes over', async () => {
  const link = await openTestLink();
  const open = (token: number) => new RedisStore({ link, prefix: '{test:ledger}', token: () => token });
  const published = async (): Promise<void> => undefined;
  const standby = new StandbyStore({ store: open(2), clock: new ManualClock(NOW), published });
  const [leading, waiting] = [new SampleLedger(open(1), silent), new SampleLedger(standby, silent)];
  const at = (n: number) => [{ ...interest, t: NOW + n * 600_000, value: n, periodHours: 0 }];
  for (const n of [0, 1]) await leading.record(at(n));
  // The leader wrote the first of these, and ended before the second.
  for (const n of [1, 2]) await waiting.record(at(n));
  await standby.lead();
  await waiting.record(at(3));
  expect((await waiting.read(interest, '10m', { sinceMs: 0 })).map(({ value }) => value)).toEqual([
    0, 1, 2, 3,
  ]);
});

/** A page of a venue that answers from the newest on. */
function pageOf(past: readonly VenueSample[], { fromMs, page = 1 }: SampleSpan, rows: number): SamplePage {
  const samples = past.slice(Math.max(0, past.length - page * rows), past.length - (page - 1) * rows);
  const isFull = samples.length === rows;
  return { samples, fromMs: isFull ? Math.max(fromMs, samples[0]?.ts ?? 0) : fromMs };
}

interface ProcessOptions {
  readonly recorded?: readonly string[];
  /** For a venue that answers by page: rows per page. */
  readonly rowsPerPage?: number;
  readonly periodHours?: number;
  readonly refused?: readonly string[];
}

/** A venue with a history, requested by the back-fill of a process. */
class Process {
  readonly clock = new ManualClock(NOW + 1);
  readonly bus = new LocalBus(this.clock);
  readonly asked: SampleSpan[] = [];
  readonly backfill = new Backfill({ bus: this.bus, clock: this.clock, log: silent });

  constructor(
    kind: VenueSamples['kind'],
    pastOf: (symbol: string) => readonly VenueSample[],
    { recorded = ['BTCUSDT'], rowsPerPage, periodHours, refused = [] }: ProcessOptions = {},
  ) {
    const { bus, clock } = this;
    const row = (symbol: string, value: number) => ({ coin: 'BTC', symbol, contracts: 1, coins: 1, value });
    const rows: readonly OpenInterest[] = [row('BTCPERP', 1), row('BTCUSDT', 2)];
    bus.publish(snapshotTopic('bybit', 'openInterest'), {
      venue: 'bybit',
      rows,
      fetchedAtMs: NOW,
      everyMs: 30_000,
    });
    const samples: VenueSamples = {
      kind,
      name: kind,
      weight: 1,
      spanMs: 10 * DAY_MS,
      request: () => ({ method: 'GET', path: '/' }),
      parse: () => ({ samples: [], fromMs: 0 }),
      ...(periodHours !== undefined && { periodHours }),
      ...(rowsPerPage !== undefined && { spanMs: 30 * DAY_MS, pagesMax: 5 }),
    };
    const source: SampleSource = {
      publisher: { id: 'bybit' },
      samples,
      weightPerMinute: 600,
      read: async (span) => {
        this.asked.push(span);
        const past = pastOf(span.market.symbol);
        if (rowsPerPage !== undefined) return pageOf(past, span, rowsPerPage);
        return {
          samples: past.filter(({ ts }) => ts >= span.fromMs && ts < span.toMs),
          fromMs: span.fromMs,
          refused,
        };
      },
    };
    const marketsOf = async () => recorded.map((symbol) => ({ symbol }));
    const parts = { store, bus, clock, ledger, days: 30, primaryVenue: 'hyperliquid' };
    this.backfill.add(new SampleTasks({ ...parts, marketsOf }).of(source));
    this.backfill.start();
  }

  async done(): Promise<void> {
    await vi.waitUntil(() => {
      this.clock.advance(1_000);
      return this.bus.latest(backfillTopic)?.message.histories.isDone ?? false;
    }, LATE);
    await this.backfill.stop();
  }
}

it('sums the contracts of a coin, and requests what is older only once, over restarts', async () => {
  const listed = NOW - 3 * DAY_MS;
  const missing = NOW - 5 * HOUR_MS;
  const past = (symbol: string): readonly VenueSample[] =>
    Array.from({ length: 24 * 60 }, (_, i) => ({ ts: NOW - (i + 1) * HOUR_MS, value: 2 }))
      .filter(({ ts }) => symbol === 'BTCUSDT' || (ts >= listed && ts !== missing))
      .toReversed();
  const first = new Process('openInterest', past);
  await first.done();
  expect(new Set(first.asked.map(({ market }) => market.symbol))).toEqual(new Set(['BTCUSDT', 'BTCPERP']));
  const samples = await ledger.read(interest, '1h', { sinceMs: 0 });
  expect(samples.map(({ t }) => t)).not.toContain(missing);
  expect(samples).toHaveLength(24 * 30 - 1 - 1);
  expect(samples.find(({ t }) => t === listed)?.value).toBe(4);
  expect(samples.find(({ t }) => t === listed - HOUR_MS)).toMatchObject({ value: 2, origin: 'venue' });
  const second = new Process('openInterest', past);
  await second.done();
  expect(second.asked).toEqual([]);
});

it('scales each rate by the time since the payment before it, also where two answers meet', async () => {
  // Every 8 hours, and every 4 since two days ago; dated a little late.
  const changed = NOW - 2 * DAY_MS;
  const paid: VenueSample[] = [];
  for (let ts = NOW - 25 * DAY_MS; ts < NOW; ts += ts < changed ? 8 * HOUR_MS : 4 * HOUR_MS)
    paid.push({ ts: ts + 7, value: 0.0001 });
  await new Process('funding', () => paid).done();
  const rates = await ledger.read(funding, '1h', { sinceMs: 0 });
  expect(rates.map(({ t }) => t)).toEqual(paid.slice(1).map(({ ts }) => ts - 7));
  for (const { t, value, periodHours } of rates)
    expect([t, periodHours, value]).toEqual(t > changed ? [t, 4, 0.0002] : [t, 8, 0.0001]);
});

it('stores no rate for a longer period where payments are missing, and all after a change to a longer one', async () => {
  const missing = [NOW - 10 * DAY_MS, NOW - 10 * DAY_MS + 16 * HOUR_MS];
  const changed = NOW - 15 * DAY_MS;
  const paid: VenueSample[] = [];
  for (let ts = NOW - 20 * DAY_MS; ts < NOW; ts += ts < changed ? 4 * HOUR_MS : 8 * HOUR_MS)
    if (!missing.includes(ts)) paid.push({ ts, value: 0.0001 });
  await new Process('funding', () => paid).done();
  const rates = await ledger.read(funding, '1h', { sinceMs: 0 });
  expect(rates.map(({ t }) => t)).toEqual(
    paid
      .slice(1)
      .map(({ ts }) => ts)
      .filter((ts) => !missing.includes(ts - 8 * HOUR_MS)),
  );
  for (const { t, value, periodHours } of rates)
    expect([t, periodHours, value]).toEqual(t > changed ? [t, 8, 0.0001] : [t, 4, 0.0002]);
});

it('takes only the shortest period around where rows were refused', async () => {
  const hours = [0, 8, 24, 40, 56, 64, 72];
  const paid = hours.map((hour) => ({ ts: NOW - 3 * DAY_MS + hour * HOUR_MS - HOUR_MS, value: 0.0001 }));
  await new Process('funding', () => paid, { refused: ['BTCUSDT[3] is not a number'] }).done();
  const rates = await ledger.read(funding, '1h', { sinceMs: 0 });
  expect(rates.map(({ periodHours }) => periodHours)).toEqual([8, 8, 8]);
});

it('knows the period of a venue that has one', async () => {
  const paid = [1, 2, 5, 40].map((hour) => ({ ts: NOW - 3 * DAY_MS + hour * HOUR_MS, value: 0.00001 }));
  await new Process('funding', () => paid, { periodHours: 1 }).done();
  const rates = await ledger.read(funding, '1h', { sinceMs: 0 });
  expect(rates.map(({ periodHours, value }) => [periodHours, value])).toEqual(
    Array.from({ length: 3 }, () => [1, 0.00008]),
  );
});

it('reads the pages of a venue that answers from the newest on until one reaches the start, and once', async () => {
  const paid = Array.from({ length: 60 }, (_, i) => ({ ts: NOW - (60 - i) * 8 * HOUR_MS, value: 0.0001 }));
  const first = new Process('funding', () => paid, { rowsPerPage: 25 });
  await first.done();
  expect(first.asked.map(({ page = 1 }) => page)).toEqual([1, 2, 3]);
  const rates = await ledger.read(funding, '1h', { sinceMs: 0 });
  expect(rates.map(({ t }) => t)).toEqual(paid.slice(1).map(({ ts }) => ts));
  const second = new Process('funding', () => paid, { rowsPerPage: 25 });
  await second.done();
  expect(second.asked).toEqual([]);
});

it('requests no more pages than the venue allows for', async () => {
  const paid = Array.from({ length: 60 }, (_, i) => ({ ts: NOW - (60 - i) * 8 * HOUR_MS, value: 0.0001 }));
  const process = new Process('funding', () => paid, { rowsPerPage: 10 });
  await process.done();
  expect(process.asked).toHaveLength(5);
  expect(await ledger.read(funding, '1h', { sinceMs: 0 })).toHaveLength(49);
});

it('requests the largest contract of a coin also where no market of the venue is recorded', async () => {
  const process = new Process('funding', () => [], { recorded: [] });
  await process.done();
  expect(new Set(process.asked.map(({ market }) => market.symbol))).toEqual(new Set(['BTCUSDT']));
});

it('reads the newest samples before a time, over blocks and pages of blocks', async () => {
  const hours = Array.from({ length: 24 * 7 * 70 }, (_, i) => NOW - i * HOUR_MS);
  await ledger.backfill(
    interest,
    hours.map((t) => ({ t, value: 1, periodHours: 0, origin: 'venue' })),
    [],
  );
  const times = async (range: SampleRange) => (await ledger.read(interest, '1h', range)).map(({ t }) => t);
  const endMs = NOW - 30 * DAY_MS;
  expect(await times({ sinceMs: 0, endMs, limit: 200 })).toEqual(
    hours
      .filter((t) => t < endMs)
      .slice(0, 200)
      .toReversed(),
  );
  expect(await times({ sinceMs: 0 })).toEqual(hours.toReversed());
});

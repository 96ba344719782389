import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HOUR_MS, type HourAudit, MINUTE_MS } from '@crosstape/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LmdbStore } from '../../store/lmdb-store.ts';
import { MarketTable } from '../market-tape/market-table.ts';
import { AuditTable } from './audit-table.ts';
import { AuditedService, recordedVenues, type Spoil } from './testing/audited-service.ts';

/**
 * The audit over simulated time: every venue is recorded over sockets and compared with its own candles over HTTP, on a
 * virtual clock. One hour with every kind of fault; with LONG=1, a week with restarts and outages around it.
 */

const HOURS = process.env['LONG'] ? 7 * 24 : 1;
const FIRST = Date.UTC(2026, 10, 16, 14);
/** The hours with faults. */
const FAULTS_EVERY = 24;
const RESTART_EVERY = 10;
/** Ten seconds before the end of a minute, so that the refill spans it. */
const [RESTART_AT, RESTART_SECOND] = [5, 50 * 60 + 50];
const DOWN_EVERY = 16;

/** Share of hours with a gap that the tape reports: those of a restart are a tenth. */
const INCOMPLETE_MAX = 0.15;

/** Shift of falsified times. */
const SHIFT_MS = 61_000;
/** In coins. */
const SMALLEST = 1e-8;

interface Spoiled {
  readonly fault: string;
  readonly publisher: string;
  readonly spoil: Spoil;
  /** Minutes of the hour, the last not included. */
  readonly from: number;
  readonly to: number;
  /** Minutes that have to be named. */
  readonly named: readonly number[];
  /** Whether the venue returns the missing trades. */
  readonly isRepaired?: boolean;
}

/** Errors of our own that no ledger of gaps can know of: between the parser of a venue and its tape. */
const spoiled: readonly Spoiled[] = [
  { fault: 'lost frames', publisher: 'bybit', from: 10, to: 11, named: [10], spoil: () => [] },
  {
    fault: 'doubled frames',
    publisher: 'hyperliquid',
    from: 20,
    to: 22,
    named: [20, 21],
    spoil: (trades) => trades.flatMap((trade) => [trade, { ...trade, tid: trade.tid + 1 }]),
  },
  {
    fault: 'a wrong contract size',
    publisher: 'okx',
    from: 25,
    to: 30,
    named: [25, 26, 27, 28, 29],
    spoil: (trades) => trades.map((trade) => ({ ...trade, size: trade.size * 10 })),
  },
  {
    fault: 'a wrong side',
    publisher: 'binance',
    from: 31,
    to: 33,
    named: [31, 32],
    spoil: (trades) =>
      trades.map((trade) => ({ ...trade, side: trade.side === 'buy' ? 'sell' : 'buy' }) as const),
  },
  {
    fault: 'a shifted clock',
    publisher: 'dydx',
    from: 35,
    to: 38,
    named: [36, 37],
    spoil: (trades) => trades.map((trade) => ({ ...trade, venueTs: trade.venueTs - SHIFT_MS })),
  },
  {
    fault: 'a frozen feed',
    publisher: 'bitget',
    from: 40,
    to: 46,
    named: [40, 41, 42, 43, 44, 45],
    spoil: () => [],
  },
  {
    // The number of ids is right, but the trades are not: requesting the minute again returns them.
    fault: 'trades that are not what the venue sent',
    publisher: 'okx-spot',
    from: 50,
    to: 51,
    named: [50],
    isRepaired: true,
    spoil: (trades) => trades.map((trade) => ({ ...trade, venueTs: trade.venueTs + 1, size: SMALLEST })),
  },
];

/** A venue whose candle endpoint is down at times. */
const DOWN = 'gate';
const isLong = HOURS > 1;
const few = new Set([...spoiled.map(({ publisher }) => publisher), DOWN]);
const venues = recordedVenues.filter(({ id }) => isLong || few.has(id));

let folder: string;
let store: LmdbStore;
let service: AuditedService;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'crosstape-'));
  store = new LmdbStore(folder);
  service = await AuditedService.start(FIRST - 30_000, store, venues);
  await service.start();
});
afterAll(async () => {
  await service.close();
  await store.close();
  rmSync(folder, { recursive: true });
});

const table = (): AuditTable => new AuditTable(store);
/** By publisher; the markets are the same for the whole time. */
const known = new Map<string, readonly string[]>();

async function marketsOf(publisher: string): Promise<readonly string[]> {
  if (publisher === 'hyperliquid') return ['hyperliquid:BTC'];
  const before = known.get(publisher);
  if (before) return before;
  const own = (await new MarketTable(store).all()).filter((one) => one.publisher === publisher);
  const ids = own.map(({ id }) => id);
  if (ids.length > 0) known.set(publisher, ids);
  return ids;
}

async function verdictsOf(hour: number): Promise<ReadonlyMap<string, HourAudit>> {
  const found = new Map<string, HourAudit>();
  for (const { id } of venues)
    for (const market of await marketsOf(id))
      for (const one of await table().hours(market, hour, hour + HOUR_MS)) found.set(`${id} ${market}`, one);
  return found;
}

/** Advances to a minute of an hour. */
async function passTo(hour: number, minute: number): Promise<void> {
  await service.pass(hour + minute * MINUTE_MS - service.clock.now());
}

async function runHour(i: number): Promise<void> {
  const hour = FIRST + i * HOUR_MS;
  if (i % FAULTS_EVERY === 0) {
    for (const { publisher, from, to, spoil } of spoiled) {
      await passTo(hour, from);
      service.spoils.set(publisher, spoil);
      await passTo(hour, to);
      service.spoils.delete(publisher);
    }
  }
  if (i % RESTART_EVERY === RESTART_AT) {
    await service.pass(hour + RESTART_SECOND * 1_000 - service.clock.now());
    await service.stop();
    await service.pass(20_000);
    await service.start();
  }
  await passTo(hour, 60);
}

/** The expected result of a market's hour, given the fault of its venue. */
function checkHour(i: number, name: string, audited: HourAudit): void {
  const hour = FIRST + i * HOUR_MS;
  const [publisher] = name.split(' ');
  const fault = i % FAULTS_EVERY === 0 ? spoiled.find((one) => one.publisher === publisher) : undefined;
  const minutes = audited.minutes?.map(({ ts }) => (ts - hour) / MINUTE_MS) ?? [];
  const what = `${fault?.fault ?? 'no fault'}, ${name}: ${JSON.stringify(audited.minutes ?? audited.verdict)}`;
  if (publisher === DOWN && i % DOWN_EVERY === 0)
    return expect.soft(audited.verdict, what).toBe('unavailable');
  if (!fault) {
    if (audited.verdict === 'incomplete') incomplete += 1;
    else expect.soft(audited.verdict, what).toBe('equal');
    return;
  }
  expect.soft(['differs', 'incomplete'], what).toContain(audited.verdict);
  if (fault.isRepaired) expect.soft(audited.refill, what).toMatchObject({ isRepaired: true });
  // A minute without trades has nothing to falsify.
  const traded = fault.named.filter((minute) =>
    service.spoiledMinutes.get(fault.publisher)?.has(hour + minute * MINUTE_MS),
  );
  expect.soft(traded.length, what).toBeGreaterThan(0);
  expect.soft(minutes, what).toEqual(expect.arrayContaining(traded));
  const [first, last] = [Math.min(...fault.named) - 2, Math.max(...fault.named) + 1];
  const elsewhere = minutes.filter((minute) => minute < first || minute > last);
  expect.soft(elsewhere, what).toEqual([]);
}

let incomplete = 0;

for (let i = 0; i < HOURS; i += 1) {
  const what = i % FAULTS_EVERY === 0 ? 'the minutes of every fault are named' : 'nothing differs';
  it(`in hour ${i + 1} of ${HOURS} ${what}`, { timeout: HOUR_MS }, async () => {
    const hour = FIRST + i * HOUR_MS;
    if (i % DOWN_EVERY === 0)
      service.faults.add({ fault: 'status', status: 500, venue: DOWN, part: 'rest', path: 'candlesticks' });
    await runHour(i);
    await service.pass(30_000);
    await service.passUntil(async () => (await verdictsOf(hour)).size >= venues.length);
    for (const [name, audited] of await verdictsOf(hour)) checkHour(i, name, audited);
    service.faults.clear();
  });
}

it('reports few gaps, and spends a twentieth of what the venues allow', () => {
  // Restarts, and silences of a feed that the tape reports. The service starts within the first hour.
  expect(incomplete).toBeLessThanOrEqual((1 + INCOMPLETE_MAX * HOURS) * venues.length);
  for (const { id, connector } of venues) {
    const spent = service.requests.filter(({ venue }) => venue === id).map(({ weight }) => weight);
    const allowed = 60 * HOURS * (connector?.limits.weightPerMinute ?? 0);
    expect(
      spent.reduce((sum, one) => sum + one, 0),
      id,
    ).toBeLessThanOrEqual(0.05 * allowed);
  }
});

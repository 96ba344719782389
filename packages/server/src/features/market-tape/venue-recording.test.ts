import {
  type Clock,
  ManualClock,
  type Market,
  type MarketTrade,
  SteadyClock,
  type Trade,
} from '@crosstape/core';
import { venues } from '@crosstape/venues';
import { beforeEach, expect, it } from 'vitest';
import type { OpenMarketFeed } from '../../ingest/market-feed.ts';
import { storePerTest } from '../../store/testing/store-per-test.ts';
import { type Gap, GapLedger } from '../tape/gap-ledger.ts';
import { TickTable } from '../tape/tick-table.ts';
import type { Store } from '../../store/store.ts';
import { Failure } from '../../platform/errors.ts';
import { recordingOptions } from './testing/recording-options.ts';
import { VenueRecording } from './venue-recording.ts';
import type { VenueRecordingOptions } from './venue-recording-options.ts';

const T = 1_790_000_000_000;
const binance = venues.find(({ id }) => id === 'binance')!;
const name = { venue: 'binance', feed: 'market-trades' } as const;

const place = storePerTest();
let clock: ManualClock;
let followed: (readonly string[])[];
let missing: readonly MarketTrade[];
/** Whether the venue answers for the past. */
let hasPast: boolean;

beforeEach(() => {
  clock = new ManualClock(T);
  followed = [];
  missing = [];
  hasPast = true;
});

const market = (symbol: string): Market => ({
  id: `binance:${symbol}`,
  venue: 'binance',
  kind: 'perp',
  symbol,
  coin: symbol.replace('USDT', ''),
  quote: 'USDT',
  contractSize: 1,
  scale: 1,
});

function start(
  own: Clock = clock,
  more: Partial<VenueRecordingOptions> = {},
  report: OpenMarketFeed['report'] = () => undefined,
): VenueRecording {
  const feed: OpenMarketFeed = {
    publisher: binance,
    feed: binance.connector!.marketTrades!,
    follow: (markets) => followed.push(markets.map(({ symbol }) => symbol)),
    report,
    past: () => (hasPast ? Promise.resolve({ trades: missing, isWhole: true }) : new Promise(() => {})),
  };
  const keptFromMs = (keepMs: number): number => clock.now() - keepMs;
  return new VenueRecording({
    ...recordingOptions,
    clock: own,
    store: place.store,
    keptFromMs,
    feed,
    ...more,
  });
}

/** Waits for a condition, and lets the clock run meanwhile. */
async function until(isMet: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isMet())) {
    clock.advance(100);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function turn(recording: VenueRecording, kind: 'up' | 'down'): void {
  recording.receive({ type: 'feed', ...name, kind, atMs: clock.now(), lastReceivedMs: clock.now() });
}

function trade(tid: number, symbol = 'BTCUSDT'): MarketTrade {
  return { symbol, side: 'buy', price: 100.5, size: 2, venueTs: clock.now(), tid };
}

function deliver(recording: VenueRecording, ...trades: readonly MarketTrade[]): void {
  const frame = { kind: 'marketTrades', trades, isBackfill: false } as const;
  recording.receive({ type: 'frame', ...name, socket: 0, frame, receivedAtMs: clock.now() });
}

async function recordedIds(symbol: string): Promise<readonly number[]> {
  const pieces = await new TickTable(place.store, 'binance').tail(symbol);
  return pieces.flatMap(({ ids }) => [...ids.tid.subarray(0, ids.length)]);
}

it('counts what was traded while the service did not run, and refills it', async () => {
  const first = start();
  first.listed([market('BTCUSDT')]);
  await until(() => followed.length > 0);
  turn(first, 'up');
  const lastMs = clock.now();
  deliver(first, trade(1), trade(2));
  await first.stop();
  expect(await recordedIds('BTCUSDT')).toEqual([1, 2]);

  clock.advance(60_000);
  missing = [trade(3), trade(4)];
  clock.advance(60_000);
  const second = start();
  second.listed([market('BTCUSDT')]);
  await until(() => followed.length > 1);
  turn(second, 'up');
  deliver(second, trade(5));
  await until(async () => (await recordedIds('BTCUSDT')).length === 5);
  await second.stop();
  expect(await recordedIds('BTCUSDT')).toEqual([1, 2, 3, 4, 5]);
  const ledger = new GapLedger(place.store, 'binance');
  expect(await ledger.gaps('BTCUSDT', 0, Infinity)).toMatchObject([
    { from: lastMs, state: 'refilled', reason: 'the service was not running', method: 'count', missing: 0 },
  ]);
  expect(await new TickTable(place.store).coins()).toEqual([]);
});

it('confirms no time while trades wait for a refill', async () => {
  const recording = start();
  recording.listed([market('BTCUSDT'), market('ETHUSDT')]);
  await until(() => followed.length > 0);
  turn(recording, 'up');
  deliver(recording, trade(1), trade(11, 'ETHUSDT'));
  await until(async () => (await recordedIds('BTCUSDT')).length === 1);
  hasPast = false;
  clock.advance(1_000);
  const heldMs = clock.now();
  deliver(recording, trade(5));
  clock.advance(500);
  deliver(recording, trade(12, 'ETHUSDT'));
  // The clock runs slower than the real one: on a slow machine, too, it is written before the wait for the refill ends.
  const written = (): Promise<readonly number[]> => {
    clock.advance(10);
    return recordedIds('ETHUSDT');
  };
  await expect.poll(written, { timeout: 120_000, interval: 50 }).toEqual([11, 12]);
  const ledger = new GapLedger(place.store, 'binance');
  expect(await recordedIds('BTCUSDT')).toEqual([1]);
  expect((await ledger.lastSpan())?.to).toBe(heldMs);

  // Once the wait is over, they are recorded and so is their time.
  await until(async () => (await recordedIds('BTCUSDT')).length === 2);
  await recording.stop();
  expect((await ledger.lastSpan())?.to).toBe(heldMs + 500);
});

it('follows new listings and leaves delisted markets without a restart', async () => {
  const recording = start();
  recording.listed([market('BTCUSDT')]);
  await until(() => followed.length === 1);
  turn(recording, 'up');
  const upMs = clock.now();
  deliver(recording, trade(1));
  clock.advance(1_000);
  recording.listed([market('BTCUSDT'), market('ETHUSDT')]);
  deliver(recording, trade(7, 'ETHUSDT'), trade(2));
  clock.advance(1_000);
  recording.listed([market('ETHUSDT')]);
  deliver(recording, trade(8, 'ETHUSDT'), trade(3));
  await recording.stop();
  expect(followed).toEqual([['BTCUSDT'], ['BTCUSDT', 'ETHUSDT'], ['ETHUSDT']]);
  expect(await recordedIds('BTCUSDT')).toEqual([1, 2]);
  expect(await recordedIds('ETHUSDT')).toEqual([7, 8]);
  const ledger = new GapLedger(place.store, 'binance');
  expect((await ledger.lastSpan())?.recordCoins).toBe('ETHUSDT');
  expect(await ledger.gaps('ETHUSDT', 0, Infinity)).toMatchObject([
    { from: upMs, state: 'missing', reason: 'the market was not recorded yet' },
  ]);
});

it('calls the last moment of a market that it leaves partial: trades may be under way, and none is counted later', async () => {
  const reported: Gap[] = [];
  const recording = start(clock, { onGap: (id, gap) => id === 'binance:ETHUSDT' && reported.push(gap) });
  recording.listed([market('BTCUSDT'), market('ETHUSDT')]);
  await until(() => followed.length === 1);
  turn(recording, 'up');
  clock.advance(10_000);
  deliver(recording, trade(1), trade(7, 'ETHUSDT'));
  const lastMs = clock.now();
  clock.advance(300);
  const underWay = trade(8, 'ETHUSDT');
  clock.advance(200);
  deliver(recording, trade(2));
  recording.listed([market('BTCUSDT')]);
  deliver(recording, underWay);
  await recording.stop();
  expect(await recordedIds('ETHUSDT')).toEqual([7]);
  const ledger = new GapLedger(place.store, 'binance');
  expect(await ledger.gaps('BTCUSDT', 0, Infinity)).toEqual([]);
  const gaps = await ledger.gaps('ETHUSDT', 0, Infinity);
  expect(gaps).toMatchObject([{ from: lastMs - 500, to: lastMs + 501, state: 'partial', method: 'socket' }]);
  expect(reported).toEqual(gaps);
});

it.each(['up', 'down'] as const)(
  'includes an outage that no trade of the market has followed (left while %s)',
  async (state) => {
    const recording = start();
    recording.listed([market('BTCUSDT'), market('ETHUSDT')]);
    await until(() => followed.length === 1);
    turn(recording, 'up');
    clock.advance(10_000);
    deliver(recording, trade(1), trade(7, 'ETHUSDT'));
    const lastMs = clock.now();
    turn(recording, 'down');
    clock.advance(5_000);
    turn(recording, 'up');
    clock.advance(5_000);
    deliver(recording, trade(2));
    if (state === 'down') turn(recording, 'down');
    recording.listed([market('BTCUSDT')]);
    await recording.stop();
    const [gap] = await new GapLedger(place.store, 'binance').gaps('ETHUSDT', 0, Infinity);
    expect(gap).toMatchObject({ from: lastMs - 1_000, to: lastMs + 10_001, state: 'partial' });
  },
);

it('does so of one that is not recorded any more after a restart', async () => {
  const first = start();
  first.listed([market('BTCUSDT'), market('ETHUSDT')]);
  await until(() => followed.length === 1);
  turn(first, 'up');
  clock.advance(10_000);
  deliver(first, trade(1), trade(7, 'ETHUSDT'));
  const lastMs = clock.now();
  await first.stop();
  clock.advance(60_000);
  const reported: Gap[] = [];
  const second = start(clock, { onGap: (id, gap) => id === 'binance:ETHUSDT' && reported.push(gap) });
  second.listed([market('BTCUSDT')]);
  await until(() => followed.length === 2);
  turn(second, 'up');
  await second.stop();
  const gaps = await new GapLedger(place.store, 'binance').gaps('ETHUSDT', 0, Infinity);
  expect(gaps).toMatchObject([{ from: lastMs - 1_000, to: lastMs + 1, state: 'partial', method: 'socket' }]);
  // Clients of another process, or of this one before the venue is connected, may be subscribed to it.
  expect(reported).toEqual(gaps);
});

it('refills what was traded while the machine was suspended', async () => {
  let suspendedMs = 0;
  const steady = new SteadyClock({
    wallMs: () => clock.now() + suspendedMs,
    monotonicMs: () => clock.now(),
    after: (delayMs, run) => clock.after(delayMs, run),
    every: (periodMs, run) => clock.every(periodMs, run),
  });
  const recording = start(steady);
  recording.listed([market('BTCUSDT')]);
  await until(() => followed.length > 0);
  turn(recording, 'up');
  deliver(recording, trade(1));
  const lastMs = steady.now();
  missing = [trade(2)];
  suspendedMs = 3_600_000;
  steady.follow();
  const resumedMs = steady.now();
  const frame = { kind: 'marketTrades', trades: [trade(3)], isBackfill: false } as const;
  recording.receive({ type: 'frame', ...name, socket: 0, frame, receivedAtMs: resumedMs });
  await until(async () => (await recordedIds('BTCUSDT')).length === 3);
  await recording.stop();
  const ledger = new GapLedger(place.store, 'binance');
  expect(await ledger.gaps('BTCUSDT', 0, Infinity)).toMatchObject([
    {
      from: lastMs,
      state: 'refilled',
      reason: 'the clock was set forward, or the machine was suspended',
      method: 'count',
      missing: 0,
    },
  ]);
  expect((await ledger.lastSpan())?.from).toBe(resumedMs);
});

it('takes nothing up of a market that it has followed itself', async () => {
  const published: Trade[] = [];
  const takenUp: number[] = [];
  const recording = start(clock, {
    onTrade: (_, one) => published.push(one),
    published: () => published,
    onTakenUp: (_, trades) => takenUp.push(trades.length),
  });
  recording.listed([market('BTCUSDT')]);
  await until(() => followed.length === 1);
  turn(recording, 'up');
  const first = [trade(1), trade(2), trade(3)];
  deliver(recording, ...first);
  recording.listed([]);
  clock.advance(600_000);
  recording.listed([market('BTCUSDT')]);
  // A venue repeats its last trades when they are subscribed to again.
  deliver(recording, ...first, trade(4));
  await recording.stop();
  expect(await recordedIds('BTCUSDT')).toEqual([1, 2, 3, 4]);
  expect(published.map(({ tid }) => tid)).toEqual([1, 2, 3, 4]);
  expect(takenUp).toEqual([]);
});

/** A store that cannot be read while there is an error. */
function unreadableStore(errorNow: () => Error | undefined): Store {
  const table: Store['table'] = (tableName: string, encoding: 'json' | 'binary') => {
    const own = place.store.table<never>(tableName, encoding as 'json');
    const range: typeof own.range = (wanted) => {
      const error = errorNow();
      return error ? Promise.reject(error) : own.range(wanted);
    };
    return new Proxy(own, {
      get: (target, key) => {
        if (key === 'range') return range;
        const value: unknown = Reflect.get(target, key);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  };
  return {
    table,
    commit: (changes) => place.store.commit(changes),
    probe: () => place.store.probe(),
    close: () => place.store.close(),
  };
}

it('reads a record again that cannot be read yet, less and less often, and reports it', async () => {
  let tries = 0;
  const triesBefore = 20;
  const store = unreadableStore(() => {
    tries += 1;
    return tries <= triesBefore ? new Failure('upstream_unavailable', 'It cannot be read.') : undefined;
  });
  let logged = 0;
  const log = { ...recordingOptions.log, error: () => (logged += 1) };
  const reported: (string | undefined)[] = [];
  const recording = start(clock, { store, log }, (why) => reported.push(why));
  let isOpened = false;
  void recording.opened.then(() => (isOpened = true));
  await until(() => isOpened);
  await recording.stop();
  expect(reported).toEqual([...Array.from({ length: triesBefore }, () => 'It cannot be read.'), undefined]);
  // 0.5, 1, 2, 4 and 8 seconds, then ten each.
  expect(clock.now() - T).toBeGreaterThanOrEqual(15_500 + 15 * 10_000);
  expect(logged).toBeGreaterThan(1);
  expect(logged).toBeLessThan(triesBefore);
});

it('gives up on a permanent error', async () => {
  const recording = start(clock, { store: unreadableStore(() => new Error('the record is damaged')) });
  await expect(recording.opened).rejects.toThrow('the record is damaged');
  await recording.stop();
});

it('passes on the smallest step of prices that the venue lists after its markets', async () => {
  const passed: (readonly Market[])[] = [];
  const recording = start(clock, { onFollowed: (markets) => passed.push(markets) });
  const [btc, eth] = [market('BTCUSDT'), market('ETHUSDT')];
  recording.listed([btc, eth]);
  await until(() => passed.length > 0);
  recording.listed([btc, eth]);
  recording.listed([{ ...btc, tick: 0.1 }, eth]);
  recording.listed([{ ...btc, tick: 0.1 }, eth]);
  expect(passed).toEqual([
    [btc, eth],
    [{ ...btc, tick: 0.1 }, eth],
  ]);
  await recording.stop();
});

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HOUR_MS, ManualClock, MINUTE_MS, type Trade } from '@crosstape/core';
import { createMarket, FillFiles, TradeColumns } from '@crosstape/simulator';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { NodeFills } from '../../ingest/fills/node-fills.ts';
import type { FeedSink } from '../../ingest/feed-sink.ts';
import { LocalBus } from '../../platform/local-bus.ts';
import { storePerTest } from '../../store/testing/store-per-test.ts';
import { WhaleTable } from '../whales/whale-table.ts';
import { GapLedger } from './gap-ledger.ts';
import { recordedTicks } from './recorded-ticks.ts';
import { startRecording } from './recording.ts';
import { createTapeReader } from './tape-reader.ts';
import { TickTable } from './tick-table.ts';

/** The first start is two minutes before a full hour. */
const START = Date.UTC(2026, 10, 15, 12) - 2 * MINUTE_MS;
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const market = createMarket({ seed: 5, rate: 0.2 });

const place = storePerTest();
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crosstape-fills-'));
});
afterEach(() => rm(folder, { recursive: true }));

function made(fromMs: number, toMs: number): readonly number[] {
  const columns = new TradeColumns(1 << 14);
  market.fill('BTC', fromMs, toMs, columns);
  return Array.from({ length: columns.length }, (_, i) => columns.tid[i]!);
}

/** A service that has only the files of a node. */
class Service {
  readonly trades: Trade[] = [];
  readonly #clock: ManualClock;
  readonly #fills: NodeFills;
  #recording: Awaited<ReturnType<typeof startRecording>> | undefined;

  constructor(clock: ManualClock) {
    this.#clock = clock;
    const options = { venue: 'hyperliquid', folder, clock, log: silent };
    this.#fills = new NodeFills({ ...options, liquidations: () => undefined });
  }

  async start(): Promise<FeedSink> {
    const { store } = place;
    const clock = this.#clock;
    this.#recording = await startRecording({
      venue: 'hyperliquid',
      clock,
      bus: new LocalBus(clock),
      log: silent,
      ticks: new TickTable(store),
      ledger: new GapLedger(store),
      whales: new WhaleTable(store),
      retentionDays: 7,
      keptFromMs: () => undefined,
      nowMs: () => clock.now(),
      recordCoins: 'all',
      onTrade: (trade) => {
        if (trade.coin === 'BTC') this.trades.push(trade);
      },
      fills: this.#fills,
    });
    return this.#recording.receive;
  }

  async stop(): Promise<void> {
    await this.#fills.stop();
    await this.#recording?.stop();
  }
}

it('records every trade of a node across the hour and a restart, once, though a socket has it as well', async () => {
  const clock = new ManualClock(START);
  const files = new FillFiles(market, folder);
  const node = files.follow(clock, (error) => {
    throw error;
  });
  /** Lets time pass in steps that the files and their reader keep up with. */
  const runUntil = async (atMs: number, service?: Service): Promise<void> => {
    while (clock.now() < atMs) {
      clock.advance(5_000);
      // A node is a moment behind.
      const newest = made(START, clock.now() - 2_000).at(-1);
      if (newest === undefined) continue;
      const isThere = async (): Promise<boolean> =>
        service
          ? service.trades.some(({ tid }) => tid === newest)
          : (await readFile(files.pathOf(Math.floor(clock.now() / HOUR_MS) * HOUR_MS), 'utf8')).includes(
              `${newest}`,
            );
      await vi.waitUntil(
        () => {
          clock.advance(1);
          return isThere();
        },
        { timeout: 20_000, interval: 2 },
      );
    }
  };
  const first = new Service(clock);
  await first.start();
  await runUntil(START + 3 * MINUTE_MS, first);
  await first.stop();
  await runUntil(START + 5 * MINUTE_MS);
  const second = new Service(clock);
  const receive = await second.start();
  await vi.waitUntil(() => second.trades.length > 0, { timeout: 20_000, interval: 5 });
  await runUntil(START + 5.5 * MINUTE_MS, second);
  // The same trades from a socket.
  const name = { venue: 'hyperliquid', feed: 'trades', socket: 0 } as const;
  receive({ type: 'socket', ...name, kind: 'up', atMs: clock.now() });
  const repeated = second.trades.slice(-20).map(({ ts, ...trade }) => ({ ...trade, venueTs: ts }));
  const frame = { kind: 'trades', trades: repeated, isBackfill: true } as const;
  receive({ type: 'frame', ...name, frame, receivedAtMs: clock.now() });
  await runUntil(START + 6 * MINUTE_MS, second);
  await second.stop();
  await node.close();

  const tape = createTapeReader({ table: new TickTable(place.store), bus: new LocalBus(clock) });
  const [from, to] = [first.trades[0]!.ts, START + 6 * MINUTE_MS - 3_000];
  const recorded: number[] = [];
  for await (const { ids, columns } of recordedTicks(tape, 'BTC', from, to))
    for (let i = 0; i < columns.length; i += 1) recorded.push(ids.tid[i]!);
  expect(recorded).toEqual(made(from, to));
  const ledger = new GapLedger(place.store);
  const gaps = await ledger.gaps('BTC', from, to);
  expect(gaps).toMatchObject([{ state: 'refilled', reason: 'the service was not running' }]);
});

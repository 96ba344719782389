import { ManualClock, type Market, type MarketTrade } from '@crosstape/core';
import { type TradeGap, venues } from '@crosstape/venues';
import { expect, it } from 'vitest';
import { MemoryStore } from '../../store/testing/memory-store.ts';
import { GapLedger } from '../tape/gap-ledger.ts';
import { TickTable } from '../tape/tick-table.ts';
import { recordingOptions } from './testing/recording-options.ts';
import { VenueRecording } from './venue-recording.ts';

const T = 1_790_000_000_000;
const symbol = 'BTCUSDT';
const name = { venue: 'binance', feed: 'market-trades' } as const;
const publisher = venues.find(({ id }) => id === 'binance')!;
const market: Market = {
  id: `binance:${symbol}`,
  venue: 'binance',
  kind: 'perp',
  symbol,
  coin: 'BTC',
  quote: 'USDT',
  contractSize: 1,
  scale: 1,
};

/** A venue with numbered trades, recorded by one process after the other. */
class Rig {
  readonly clock = new ManualClock(T);
  readonly store = new MemoryStore();
  readonly ledger = new GapLedger(this.store, 'binance');
  readonly shown: object[] = [];
  /** The venue's past trades. */
  past: readonly MarketTrade[] = [];
  isWhole = false;
  asked: TradeGap[] = [];
  #recording: VenueRecording | undefined;

  trade(tid: number, venueTs = T + 10 * tid): MarketTrade {
    return { symbol, side: 'buy', price: 100, size: 1, venueTs, tid };
  }

  async start(): Promise<void> {
    const { clock, store } = this;
    this.#recording = new VenueRecording({
      ...recordingOptions,
      clock,
      store,
      onGap: (_, gap) => this.shown.push(gap),
      feed: {
        publisher,
        feed: publisher.connector!.marketTrades!,
        follow: () => undefined,
        past: async (gap) => {
          this.asked.push(gap);
          return { trades: this.past, isWhole: this.isWhole };
        },
      },
    });
    this.#recording.listed([market]);
    await this.#recording.opened;
    const nowMs = clock.now();
    this.#recording.receive({ type: 'feed', ...name, kind: 'up', atMs: nowMs, lastReceivedMs: nowMs });
  }

  deliver(...trades: readonly MarketTrade[]): void {
    const frame = { kind: 'marketTrades', trades, isBackfill: false } as const;
    const receivedAtMs = this.clock.now();
    this.#recording?.receive({ type: 'frame', ...name, socket: 0, frame, receivedAtMs });
  }

  async run(forMs: number): Promise<void> {
    for (let passedMs = 0; passedMs < forMs; passedMs += 100) {
      this.clock.advance(100);
      for (let i = 0; i < 20; i += 1) await Promise.resolve();
    }
  }

  async stop(): Promise<void> {
    await this.#recording?.stop();
  }

  /** The gap after the second trade. */
  async gap() {
    const gaps = await this.ledger.gaps(symbol, 0, Number.MAX_SAFE_INTEGER);
    return gaps.find(({ from, late }) => from === T + 20 && !late);
  }

  async ids(): Promise<readonly number[]> {
    const pieces = await new TickTable(this.store, 'binance').tail(symbol);
    const ids = pieces.flatMap((piece) => [...piece.ids.tid.subarray(0, piece.ids.length)]);
    return ids.toSorted((a, b) => a - b);
  }
}

/** Trades 3 to 8 are missed, and the venue has only the fifth at first; then the process ends, and another begins. */
async function restart(laterMs: number): Promise<Rig> {
  const rig = new Rig();
  await rig.start();
  rig.past = [rig.trade(5)];
  rig.deliver(...[1, 2, 9, 10].map((tid) => rig.trade(tid)));
  await rig.run(6_000);
  await rig.stop();
  expect(await rig.gap()).toMatchObject({
    state: 'partial',
    missing: 5,
    numbers: [
      [3, 4],
      [6, 8],
    ],
  });
  rig.clock.advance(laterMs);
  rig.asked = [];
  rig.past = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((tid) => rig.trade(tid));
  await rig.start();
  rig.deliver(rig.trade(11, rig.clock.now()));
  await rig.run(12_000);
  await rig.stop();
  return rig;
}

it('requests again what an earlier process could not refill, and takes each number once', async () => {
  const rig = await restart(30_000);
  expect(await rig.ids()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  const gap = await rig.gap();
  expect(gap).toMatchObject({ state: 'refilled', missing: 0 });
  expect(gap).not.toHaveProperty('numbers');
  expect(rig.asked.map(({ afterTid, beforeTid }) => [afterTid, beforeTid])).toEqual([
    [2, 5],
    [5, 9],
  ]);
});

it('leaves what is older: its trades would stand too far away', async () => {
  const rig = await restart(900_000);
  expect(await rig.ids()).toEqual([1, 2, 5, 9, 10, 11]);
  expect(rig.asked).toEqual([]);
  expect(await rig.gap()).toMatchObject({ state: 'partial', missing: 5 });
});

it('leaves what is older than the trades that are remembered: it is not known which of them are recorded', async () => {
  const rig = new Rig();
  await rig.start();
  rig.deliver(...[1, 2, 9].map((tid) => rig.trade(tid)));
  await rig.run(6_000);
  rig.deliver(...Array.from({ length: 3_000 }, (_, i) => rig.trade(10 + i, T + 6_000 + i)));
  await rig.run(1_000);
  await rig.stop();
  rig.past = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((tid) => rig.trade(tid));
  rig.isWhole = true;
  rig.asked = [];
  await rig.start();
  await rig.run(12_000);
  await rig.stop();
  expect(await rig.gap()).toMatchObject({ state: 'missing', missing: 6, numbers: [[3, 8]] });
  expect(rig.asked).toEqual([]);
});

it('shows the numbers to no client', async () => {
  const { shown } = await restart(30_000);
  expect(shown.length).toBeGreaterThan(0);
  for (const gap of shown) expect(gap).not.toHaveProperty('numbers');
});

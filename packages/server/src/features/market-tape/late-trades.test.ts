import {
  CandleFold,
  candleRow,
  ManualClock,
  type Market,
  type MarketTrade,
  MINUTE_MS,
  seededRandom,
  type Trade,
} from '@crosstape/core';
import { venues } from '@crosstape/venues';
import { expect, it } from 'vitest';
import { MemoryStore } from '../../store/testing/memory-store.ts';
import { CandleTable } from '../candles/candle-table.ts';
import { CandleWriter } from '../candles/candle-writer.ts';
import { recordedMinutes } from '../candles/recorded-minutes.ts';
import { spansIn, stretchesOf } from '../candles/settle-candles.ts';
import { type Gap, GapLedger } from '../tape/gap-ledger.ts';
import { TickBuffer } from '../tape/tick-buffer.ts';
import { TickTable } from '../tape/tick-table.ts';
import { recordingOptions } from './testing/recording-options.ts';
import { VenueRecording } from './venue-recording.ts';

const T0 = Date.UTC(2026, 10, 16, 14);
const MINUTES = 40;
const STEP_MS = 250;
const symbol = 'BTCUSDT';

/** Trades of a venue: roughly one per step. */
function madeTrades(random: () => number): readonly MarketTrade[] {
  const trades: MarketTrade[] = [];
  for (let venueTs = T0; venueTs < T0 + MINUTES * MINUTE_MS; venueTs += 1 + Math.floor(600 * random())) {
    const side = random() < 0.5 ? 'buy' : 'sell';
    const price = 1_000 + Math.floor(100 * random());
    trades.push({
      symbol,
      side,
      price,
      size: 1 + Math.floor(9 * random()),
      venueTs,
      tid: trades.length + 1,
    });
  }
  return trades;
}

function minutesOf(trades: readonly MarketTrade[]): ReadonlyMap<number, unknown> {
  const buffer = new TickBuffer();
  for (const { venueTs: ts, ...trade } of trades)
    buffer.add({ ...trade, ts, coin: symbol, venue: '', notionalUsd: 0, sameOrder: false } as Trade);
  const fold = new CandleFold(MINUTE_MS);
  fold.add(buffer.columns);
  return new Map(fold.all().map((candle) => [candle.ts, candleRow(candle, null)]));
}

/** Records a venue through outages, after which its REST API answers seconds or minutes later, or not at all. */
async function record(venue: 'binance' | 'bybit', seed: number) {
  const random = seededRandom(seed);
  const publisher = venues.find(({ id }) => id === venue)!;
  const clock = new ManualClock(T0);
  const store = new MemoryStore();
  const ticks = new TickTable(store, venue);
  const table = new CandleTable(store);
  const published: Gap[] = [];
  const made = madeTrades(random);
  const market: Market = {
    id: `${venue}:${symbol}`,
    venue,
    kind: 'perp',
    symbol,
    coin: 'BTC',
    quote: 'USDT',
    contractSize: 1,
    scale: 1,
  };
  const recording = new VenueRecording({
    ...recordingOptions,
    clock,
    store,
    onGap: (_, gap) => published.push(gap),
    candles: (prefix) =>
      new CandleWriter({
        prefix,
        table,
        ticks,
        log: recordingOptions.log,
        liquidations: { of: () => undefined },
      }),
    feed: {
      publisher,
      feed: publisher.connector!.marketTrades!,
      follow: () => undefined,
      past: ({ afterMs, beforeMs }) => {
        const lagMs = random() < 0.5 ? 0 : Math.floor(150_000 * random());
        const trades = made.filter(({ venueTs }) => venueTs >= afterMs && venueTs <= beforeMs);
        return new Promise((resolve, reject) =>
          clock.after(lagMs, () =>
            random() < 0.2 ? reject(new Error('no answer')) : resolve({ trades, isWhole: true }),
          ),
        );
      },
    },
  });
  const name = { venue, feed: 'market-trades' } as const;
  const turn = (kind: 'up' | 'down'): void =>
    recording.receive({ type: 'feed', ...name, kind, atMs: clock.now(), lastReceivedMs: clock.now() });
  recording.listed([market]);
  await recording.opened;
  turn('up');
  let at = 0;
  let downUntilMs = 0;
  // More minutes, for late answers.
  for (let nowMs = T0; nowMs < T0 + (MINUTES + 12) * MINUTE_MS; nowMs = clock.now()) {
    const isDown = nowMs < downUntilMs;
    const trades: MarketTrade[] = [];
    for (; at < made.length && made[at]!.venueTs <= nowMs; at += 1) trades.push(made[at]!);
    if (!isDown && downUntilMs > 0) {
      downUntilMs = 0;
      turn('up');
    } else if (downUntilMs === 0 && random() < 0.001) {
      downUntilMs = nowMs + Math.floor(40_000 * random());
      turn('down');
    } else if (!isDown && trades.length > 0) {
      const frame = { kind: 'marketTrades', trades, isBackfill: false } as const;
      recording.receive({ type: 'frame', ...name, socket: 0, frame, receivedAtMs: nowMs });
    }
    clock.advance(STEP_MS);
    for (let i = 0; i < 8; i += 1) await Promise.resolve();
  }
  await recording.stop();
  const gaps = new GapLedger(store, venue);
  const [from, to] = [T0 + MINUTE_MS, T0 + (MINUTES - 1) * MINUTE_MS];
  const incomplete = spansIn(await stretchesOf(gaps, symbol, from, to), ['missing', 'partial']);
  const opened = { ...market, ticks, gaps, recordedSinceMs: T0 };
  const minutes = (await recordedMinutes(table, opened, T0, T0 + 60 * MINUTE_MS)).filter(
    ({ ts }) => ts >= from && ts < to,
  );
  const isComplete = (ts: number): boolean =>
    incomplete.every((gap) => gap.to <= ts || gap.from >= ts + MINUTE_MS);
  return {
    complete: minutes.filter(({ ts }) => isComplete(ts)).map((candle) => candleRow(candle, null)),
    late: (await gaps.gaps(symbol, from, to)).filter((gap) => gap.late),
    published: published.filter((gap) => gap.late),
    made: minutesOf(made),
  };
}

it.each([
  ['binance', 1],
  ['binance', 2],
  ['bybit', 3],
  ['bybit', 4],
] as const)(
  'every minute of %s that is called complete equals what was made in it (seed %d)',
  async (venue, seed) => {
    const { complete, late, published, made } = await record(venue, seed);
    expect(complete).toEqual(complete.map(({ ts }) => made.get(ts)));
    // Otherwise the test would prove nothing.
    expect(complete.length).toBeGreaterThan(MINUTES / 4);
    expect(late.length).toBeGreaterThan(1);
    const keys = new Set(published.map(({ from, to, state }) => `${from} ${to} ${state}`));
    for (const { from, to, state } of late) expect(keys).toContain(`${from} ${to} ${state}`);
  },
);

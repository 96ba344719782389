import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type Clock, ManualClock } from '@crosstape/core';
import { startSimulator } from '@crosstape/simulator';
import {
  allPublishers,
  feedsOf,
  type Frame,
  primaryVenue,
  type Publisher,
  readablePublishers,
} from '@crosstape/venues';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { coinsOfVenues } from '../../../../../test/world-coins.ts';
import { CaptureFile } from '../../capture/capture-file.ts';
import { CaptureCheck } from '../../capture/check-capture.ts';
import { CAPTURE_FORMAT, type CaptureLine } from '../../capture/format.ts';
import { sampleFields } from '../../capture/generated/sample-fields.ts';
import { CaptureReader } from '../../capture/read-capture.ts';
import { CaptureRecorder } from '../../capture/recorder.ts';
import { Redactor } from '../../capture/redact.ts';
import type { SourceReport } from '../../capture/source-report.ts';
import { startMarketRecording } from '../../features/market-tape/market-recording.ts';
import { startMarketBooks } from '../../features/orderbook/market-books.ts';
import { GapLedger } from '../../features/tape/gap-ledger.ts';
import { startRecording } from '../../features/tape/recording.ts';
import { TickTable } from '../../features/tape/tick-table.ts';
import { WhaleTable } from '../../features/whales/whale-table.ts';
import type { CandleSource } from '../../ingest/candle-client.ts';
import type { VenueTap, Wiretap } from '../../ingest/wiretap.ts';
import { quiet } from '../../ingest/testing/rig.ts';
import { startSimulatedEngine } from '../../ingest/testing/simulated-engine.ts';
import { LocalBus } from '../../platform/local-bus.ts';
import { readRecordMarkets } from '../../settings/record-markets.ts';
import { ScaledClock } from '../../platform/scaled-clock.ts';
import { indexCapture } from '../../replay/capture-index.ts';
import { startReplayServer } from '../../replay/replay-server.ts';
import { readSettings } from '../../settings/read-settings.ts';
import { MemoryStore } from '../../store/testing/memory-store.ts';
import { bookTopic, followTopic, recordedMarketsTopic, seedingTopic } from '../../topics.ts';
import { prepareConnectors } from '../connectors.ts';

/** Half a minute of all trade feeds, one book of each venue, candles and past trades, captured, checked and replayed. */

const T0 = Date.UTC(2026, 10, 16, 14, 30);
const STEP_MS = 500;
const CAPTURED_MS = 30_000;
const MARKETS = 'top:1';
const traded = readablePublishers.filter(
  ({ id, connector }) => id === primaryVenue.id || connector?.marketTrades,
);
const secondary = traded.filter(({ id }) => id !== primaryVenue.id);
/** Sources of every kind that a capture must have. */
const expected = [
  ...secondary.flatMap(({ id, connector }) => [
    `${id}:market-trades`,
    `${id}:market-books`,
    `${id}:candles`,
    ...(connector?.marketTrades?.past ? [`${id}:past-trades`] : []),
    ...(connector?.histories ?? []).map(({ name }) => `${id}:${name}`),
  ]),
  `${primaryVenue.id}:trades`,
  `${primaryVenue.id}:candles`,
];
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const folder = mkdtempSync(join(tmpdir(), 'crosstape-capture-'));
const file = join(folder, 'capture.ndjson.gz');

/** Venues send accumulated data once per step: fewer frames with the same trades. */
function slowed(clock: Clock): Clock {
  return {
    now: () => clock.now(),
    after: (delayMs, run) => clock.after(delayMs, run),
    every: (periodMs, run) => clock.every(Math.max(periodMs, STEP_MS), run),
  };
}

async function pass(clock: ManualClock, forMs: number, isIdle = (): boolean => true): Promise<void> {
  for (let passedMs = 0; passedMs < forMs; passedMs += STEP_MS) {
    clock.advance(STEP_MS);
    await quiet(30);
    if (!isIdle()) await vi.waitUntil(isIdle, { interval: 1 });
  }
}

/** Knows whether a request waits for its answer, or a socket for its handshake: a busy machine takes longer for them. */
class PendingTap implements Wiretap {
  /** Sources that have answered, or sent data. */
  readonly seen = new Set<string>();
  readonly #tap: Wiretap;
  #pending = 0;

  constructor(tap: Wiretap) {
    this.#tap = tap;
  }

  get isIdle(): boolean {
    return this.#pending === 0;
  }

  venue(id: string): VenueTap {
    const venue = this.#tap.venue(id);
    return {
      request: (sent) => {
        const request = venue.request(sent);
        const end = this.#begin();
        return {
          answered: (answer) => {
            this.seen.add(`${id}:${sent.source}`);
            return request.answered(answer).finally(end);
          },
          failed(reason) {
            request.failed(reason);
            end();
          },
        };
      },
      socket: (dialled) => {
        const socket = venue.socket(dialled);
        const end = this.#begin();
        return {
          sent: (...sent) => socket.sent(...sent),
          received: (...received) => {
            const { kind } = received[2];
            if (kind !== 'subscribed' && kind !== 'heartbeat') this.seen.add(`${id}:${dialled.feed}`);
            socket.received(...received);
          },
          opened() {
            socket.opened();
            end();
          },
          refused(...refusal) {
            socket.refused(...refusal);
            end();
          },
          closed(...reason) {
            socket.closed(...reason);
            end();
          },
        };
      },
    };
  }

  #begin(): () => void {
    let isPending = true;
    this.#pending += 1;
    return () => {
      if (isPending) this.#pending -= 1;
      isPending = false;
    };
  }
}

beforeAll(async () => {
  const clock = new ManualClock(T0);
  const market = { seed: 7, rate: 0.1, coins: coinsOfVenues };
  const simulator = await startSimulator({ port: 0, clock: slowed(clock), ...market });
  const flags = ['--upstream', 'sim', '--sim-url', simulator.url, '--record-markets', MARKETS];
  const { settings } = readSettings(flags, {}, allPublishers);
  const connectors = await prepareConnectors({ settings, only: traded.map(({ id }) => id), clock });
  const header = { crosstape: '0', upstream: 'sim', startedAtMs: T0, startedAt: '', venues: [] };
  const capture = await CaptureFile.create({ path: file, clock }, { capture: CAPTURE_FORMAT, ...header });
  const recorder = new CaptureRecorder({ file: capture, clock, redactor: new Redactor([]) });
  const tap = new PendingTap(recorder);
  await connectors.start(tap);
  await pass(clock, CAPTURED_MS, () => tap.isIdle);
  // Large answers are parsed on threads, for which the clock does not wait: on a busy machine requests come later.
  while (!expected.every((source) => tap.seen.has(source))) await pass(clock, STEP_MS, () => tap.isIdle);
  recorder.end();
  await connectors.stop();
  await capture.write({ t: clock.now(), type: 'end', reason: '' });
  await capture.close();
  await simulator.close();
});

afterAll(() => rmSync(folder, { recursive: true }));

async function check(path: string): Promise<ReadonlyMap<string, SourceReport>> {
  const checking = new CaptureCheck();
  for await (const line of (await CaptureReader.open(path)).lines()) checking.add(line);
  return new Map(checking.report(sampleFields).map((report) => [report.source, report]));
}

it('is a capture of every feed and request; the parsers accept all payloads, without an unknown field', async () => {
  const reports = await check(file);
  for (const source of expected) expect(reports.get(source)?.accepted ?? 0, source).toBeGreaterThan(0);
  const odd = [...reports.values()].filter(
    ({ refused, refusedRows, errors, newFields }) => refused + refusedRows + errors + newFields.length > 0,
  );
  expect(odd).toEqual([]);
});

/** The same capture with the payloads of some sources changed. */
function damaged(changes: Readonly<Record<string, (text: string) => string>>): string {
  const names = new Map<string, string>();
  const lines = gunzipSync(readFileSync(file)).toString().trim().split('\n');
  const changed = lines.map((text) => {
    const line = JSON.parse(text) as CaptureLine;
    if (line.type === 'request') names.set(`a${line.id}`, `${line.venue}:${line.source}`);
    if (line.type === 'connect') names.set(`s${line.socket}`, `${line.venue}:${line.feed}`);
    if (line.type !== 'answer' && line.type !== 'in') return text;
    const change = changes[names.get(line.type === 'in' ? `s${line.socket}` : `a${line.id}`) ?? ''];
    if (!change || !('text' in line.body)) return text;
    return JSON.stringify({ ...line, body: { text: change(line.body.text) } });
  });
  const path = join(folder, 'damaged.ndjson');
  writeFileSync(path, changed.join('\n'));
  return path;
}

it('reports what is refused and why, of every kind of source', async () => {
  const reports = await check(
    damaged({
      'binance:market-trades': (text) => text.replace('"p":"', '"p":"x'),
      'bybit:market-books': (text) => text.replaceAll('"u":', '"v":'),
      'okx:candles': (text) => text.replace('[["', '[["x'),
      'kraken:past-trades': () => '{"result":"success"}',
      'binance:openInterestHist': (text) => text.replaceAll('sumOpenInterest"', 'sum"'),
    }),
  );
  const reasonOf = (source: string) => reports.get(source)?.reasons[0]?.reason;
  expect(reasonOf('binance:market-trades')).toMatch(/\bp\b.*x1/);
  expect(reasonOf('bybit:market-books')).toMatch(/\bu\b/);
  expect(reasonOf('okx:candles')).toMatch(/x1/);
  expect(reasonOf('kraken:past-trades')).toMatch(/history|elements/);
  expect(reasonOf('binance:openInterestHist')).toMatch(/sumOpenInterest/);
  expect(reports.get('bybit:market-books')?.newFields).toContain('data.v (number)');
  const refusing = [...reports.values()].filter(({ refused, refusedRows }) => refused + refusedRows > 0);
  expect(refusing).toHaveLength(5);
});

interface Sum {
  count: number;
  size: number;
  notional: number;
}

/** Unique trades in the capture, by market of their publisher. */
async function capturedTrades(): Promise<ReadonlyMap<string, Sum>> {
  const sums = new Map<string, Sum>();
  const seen = new Set<string>();
  const parsers = new Map<number, { readonly id: string; readonly parse: (text: string) => Frame }>();
  for await (const line of (await CaptureReader.open(file)).lines()) {
    if (line.type === 'connect') {
      const { connector } = traded.find(({ id }) => id === line.venue) as Publisher;
      const feed = connector && feedsOf(connector).find(({ name }) => name === line.feed);
      const isTape = line.feed === 'market-trades' || line.venue === primaryVenue.id;
      if (feed && isTape) parsers.set(line.socket, { id: line.venue, parse: feed.open(() => ({})) });
    }
    const reader = line.type === 'in' ? parsers.get(line.socket) : undefined;
    if (!reader || line.type !== 'in' || !('text' in line.body)) continue;
    const frame = reader.parse(line.body.text);
    if (frame.kind !== 'marketTrades' && frame.kind !== 'trades') continue;
    for (const trade of frame.trades) {
      const symbol = 'symbol' in trade ? trade.symbol : trade.coin;
      const name = `${reader.id} ${symbol}`;
      if (seen.has(`${name} ${trade.tid}`)) continue;
      seen.add(`${name} ${trade.tid}`);
      add(sums, name, trade);
    }
  }
  return sums;
}

function add(sums: Map<string, Sum>, name: string, { price, size }: { price: number; size: number }): void {
  const sum = sums.get(name) ?? { count: 0, size: 0, notional: 0 };
  sums.set(name, sum);
  sum.count += 1;
  sum.size += size;
  sum.notional += price * size;
}

it('is replayed as the venues: the same trades are recorded, books are kept, and candles are answered', async () => {
  const real = new ManualClock(T0 + 86_400_000);
  const capture = await indexCapture(await CaptureReader.open(file));
  const server = await startReplayServer({ capture, clock: real, port: 0, id: 'test' });
  const clock = new ScaledClock(real, { startMs: capture.fromMs, speed: 1 });
  server.time.start();
  clock.start(capture.fromMs);
  const bus = new LocalBus(clock);
  bus.publish(seedingTopic, { isDone: true, progress: 1 });
  const store = new MemoryStore();
  const base = { clock, bus, log: silent, store, keptFromMs: () => undefined, retentionDays: 7 };
  const recorded = new Map<string, Sum>();
  const candles: CandleSource[] = [];
  const markets = startMarketRecording({
    ...base,
    choice: readRecordMarkets(MARKETS)!,
    primaryVenue: primaryVenue.id,
    onTrade: ({ id }, trade) => add(recorded, id, trade),
    onGap: () => undefined,
  });
  const recording = await startRecording({
    ...base,
    venue: primaryVenue.id,
    ticks: new TickTable(store),
    ledger: new GapLedger(store),
    whales: new WhaleTable(store),
    nowMs: () => clock.now(),
    recordCoins: 'all',
    onTrade: (trade) => add(recorded, `${primaryVenue.id} ${trade.coin}`, trade),
  });
  const books = startMarketBooks({ clock, bus });
  const engine = startSimulatedEngine({
    url: server.url,
    venues: traded,
    bus,
    clock,
    sink: recording.receive,
    markets: markets.open,
    books: books.open,
    onCandles: (source) => candles.push(source),
  });
  await pass(real, CAPTURED_MS - 10_000);
  const followed = bus.latest(recordedMarketsTopic)?.message ?? [];
  expect(followed).toHaveLength(secondary.length);
  for (const { publisher: venue, symbol } of followed)
    bus.publish(followTopic, { venue, feed: 'market-books', coins: [symbol] });
  const hour = { interval: '1m', fromMs: T0 - 3_600_000, toMs: T0 } as const;
  const answers = followed.map(async ({ publisher, symbol, restSymbol = symbol }) => {
    const source = candles.find((one) => one.publisher.id === publisher);
    return source?.read({ market: { symbol, restSymbol }, ...hour });
  });
  await pass(real, 10_000);
  for (const { id } of followed) {
    const book = bus.latest(bookTopic(id))?.message;
    expect(book, id).toMatchObject({ coin: 'BTC' });
    expect(book?.stale, id).toBeUndefined();
    expect(book?.bids.length, id).toBeGreaterThan(0);
  }
  for (const rows of await Promise.all(answers)) expect(rows?.length).toBeGreaterThan(0);
  // How long a trade is held back before it is released.
  await pass(real, 20_000);
  await engine.stop();
  await Promise.all([recording.stop(), markets.stop()]);
  books.stop();
  await server.close();
  const idOf = new Map(followed.map(({ id, publisher, symbol }) => [`${publisher} ${symbol}`, id]));
  const captured = [...(await capturedTrades())].map(([name, sum]) => [idOf.get(name) ?? name, rounded(sum)]);
  expect(Object.fromEntries([...recorded].map(([name, sum]) => [name, rounded(sum)]))).toEqual(
    Object.fromEntries(captured),
  );
});

/** Sums of the same numbers in another order differ in their last digits. */
function rounded({ count, size, notional }: Sum): unknown {
  return { count, size: size.toPrecision(9), notional: notional.toPrecision(9) };
}

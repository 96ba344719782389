import { EventEmitter } from 'node:events';
import { ManualClock, type Timer } from '@crosstape/core';
import { venues } from '@crosstape/venues';
import { expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { FeedConnection } from './feed-connection.ts';
import { SourceFailure } from './source-failure.ts';
import type { StallDetector } from './stall-detector.ts';
import { fakeFeed } from './testing/fake-venue.ts';
import type { VenueGate } from './venue-gate.ts';

/** How long a subscription may stay unconfirmed. */
const CONFIRM_WAIT_MS = 15_000;

class FakeSocket extends EventEmitter {
  readonly readyState = WebSocket.OPEN;
  readonly sent: string[] = [];

  send(frame: string): void {
    if (frame !== 'ping') this.sent.push(frame);
  }

  terminate(): void {
    this.removeAllListeners();
  }
}

/** A clock whose timers all end late, as those of a busy process do. */
class BusyClock extends ManualClock {
  lateMs = 0;

  override after(delayMs: number, run: () => void): Timer {
    return super.after(delayMs + this.lateMs, run);
  }
}

function connect(clock: ManualClock, silence?: StallDetector) {
  const socket = new FakeSocket();
  let failure: SourceFailure | undefined;
  const connection = new FeedConnection({
    url: 'ws://fake/ws',
    feed: fakeFeed({}),
    gate: { messages: { take: () => new Promise(() => undefined) } } as unknown as VenueGate,
    clock,
    ...(silence && { silence }),
    known: () => ({}) as never,
    staggerMs: 0,
    connect: () => socket as unknown as WebSocket,
    topics: () => new Set<string>(),
    onReceived: () => undefined,
    onFrame: () => undefined,
    onCarried: () => undefined,
    onUnconfirmed: () => undefined,
  });
  void connection.ended.then((ended) => (failure = ended));
  const failureAfter = async (ms: number): Promise<string | undefined> => {
    clock.advance(ms);
    await Promise.resolve();
    return failure?.message;
  };
  return { socket, failureAfter };
}

test('a busy process has more patience with a handshake', async () => {
  const clock = new BusyClock(0);
  clock.lateMs = 500;
  const { failureAfter } = connect(clock);
  expect(await failureAfter(14_999)).toBeUndefined();
  expect(await failureAfter(1)).toBe('No connection within 10 s.');
  const calm = connect(new ManualClock(0));
  expect(await calm.failureAfter(9_999)).toBeUndefined();
  expect(await calm.failureAfter(1)).toBe('No connection within 10 s.');
});

test('and with a pong', async () => {
  const clock = new BusyClock(0);
  const { socket, failureAfter } = connect(clock);
  socket.emit('open');
  // The first ping is sent while nothing is late.
  clock.lateMs = 500;
  const { everyMs } = fakeFeed({}).ping;
  expect(await failureAfter(everyMs + 14_999)).toBeUndefined();
  expect(await failureAfter(1)).toBe('The venue does not answer pings.');
});

test('a busy process reads what came meanwhile before it calls a socket silent', async () => {
  const clock = new BusyClock(0);
  let sinceMs = 0;
  const silence = {
    limitMs: 5_000,
    begin: (ms: number) => (sinceMs = ms),
    end: (ms: number) => (sinceMs = ms),
    lengthMs: (ms: number) => ms - sinceMs,
  } as unknown as StallDetector;
  const { socket, failureAfter } = connect(clock, silence);
  clock.lateMs = 6_000;
  socket.emit('open');
  // Its stall check runs eight seconds later, before the waiting frame.
  expect(await failureAfter(8_000)).toBeUndefined();
  clock.lateMs = 0;
  silence.end(clock.now());
  expect(await failureAfter(4_900)).toBeUndefined();
  // Silence without an explanation.
  expect(await failureAfter(8_000)).toMatch(/^No data for \d+ s\.$/);
});

test('a process that is always late calls a silent socket silent', async () => {
  const clock = new BusyClock(0);
  clock.lateMs = 600;
  const silence = {
    limitMs: 5_000,
    begin: () => undefined,
    end: () => undefined,
    lengthMs: (ms: number) => ms,
  } as unknown as StallDetector;
  const { socket, failureAfter } = connect(clock, silence);
  socket.emit('open');
  expect(await failureAfter(9_000)).toMatch(/^No data for \d+ s\.$/);
});

test('a refused subscription of a trade feed is sent again, less and less often, until a trade shows it', async () => {
  const clock = new ManualClock(0);
  const socket = new FakeSocket();
  const mexc = venues.find(({ id }) => id === 'mexc')!.connector!.marketTrades!;
  const connection = new FeedConnection({
    url: 'ws://fake/ws',
    feed: mexc,
    gate: { messages: { take: () => Promise.resolve() } } as unknown as VenueGate,
    clock,
    known: () => ({}) as never,
    staggerMs: 0,
    connect: () => socket as unknown as WebSocket,
    topics: () => new Set(['BTC_USDT']),
    onReceived: () => undefined,
    onFrame: () => undefined,
    onCarried: () => undefined,
    onUnconfirmed: () => undefined,
  });
  const say = (frame: object): boolean => socket.emit('message', Buffer.from(JSON.stringify(frame)), false);
  const sentWithin = async (ms: number): Promise<number> => {
    const before = sent().length;
    for (let passedMs = 0; passedMs < ms; passedMs += 5_000) {
      clock.advance(5_000);
      say({ channel: 'pong', data: 1 });
      await new Promise((resolve) => setImmediate(resolve));
    }
    return sent().length - before;
  };
  const sent = (): readonly string[] => socket.sent.filter((frame) => frame.includes('sub.deal'));
  socket.emit('open');
  await vi.waitUntil(() => sent().length === 1);
  say({ channel: 'rs.error', data: 'busy' });
  expect(await sentWithin(15_000)).toBe(1);
  expect(await sentWithin(25_000)).toBe(0);
  expect(await sentWithin(5_000)).toBe(1);
  expect(await sentWithin(3_600_000)).toBeLessThan(12);
  say({
    channel: 'push.deal',
    symbol: 'BTC_USDT',
    data: [{ p: 1, v: 1, T: 1, O: 3, M: 2, t: 1, i: '7' }],
    ts: 1,
  });
  expect(connection.carries('BTC_USDT')).toBe(true);
  expect(await sentWithin(3_600_000)).toBe(0);
  connection.end(new SourceFailure('down', 'The test is over.'));
});

test('a confirmation of a resent topic does not confirm the other topics of the first frame', async () => {
  const clock = new ManualClock(0);
  const socket = new FakeSocket();
  const carried: string[] = [];
  let left = 2;
  const take = (): Promise<void> => {
    left -= 1;
    return left >= 0 ? Promise.resolve() : new Promise(() => undefined);
  };
  const connection = new FeedConnection({
    url: 'ws://fake/ws',
    feed: fakeFeed({ topicsPerFrame: 3, refusesWholeFrames: true }),
    gate: { messages: { take } } as unknown as VenueGate,
    clock,
    known: () => ({}) as never,
    staggerMs: 0,
    connect: () => socket as unknown as WebSocket,
    topics: () => new Set(['A', 'B', 'C']),
    onReceived: () => undefined,
    onFrame: () => undefined,
    onCarried: (topics) => carried.push(...topics),
    onUnconfirmed: () => undefined,
  });
  socket.emit('open');
  await vi.waitUntil(() => socket.sent.length === 1);
  clock.advance(CONFIRM_WAIT_MS);
  await vi.waitUntil(() => socket.sent.length === 2);
  expect(socket.sent).toEqual(['sub A,B,C', 'sub A']);
  socket.emit('message', Buffer.from('ack A'), false);
  expect(carried).toEqual(['A']);
  connection.end(new SourceFailure('down', 'The test is over.'));
});

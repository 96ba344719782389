import { EventEmitter } from 'node:events';
import { ManualClock } from '@crosstape/core';
import { expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { FeedConnection } from './feed-connection.ts';
import { SourceFailure } from './source-failure.ts';
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

test('an answer to a topic that was sent again says nothing of those in its first frame', async () => {
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
    extraPatienceMs: 0,
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

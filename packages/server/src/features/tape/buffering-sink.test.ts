import { expect, test } from 'vitest';
import { BufferingSink, type SocketEvent } from './buffering-sink.ts';

const name = { venue: 'fake', feed: 'trades', socket: 0 };
const frame = { kind: 'trades', trades: [], isBackfill: false } as const;

function nameOf(event: SocketEvent): string {
  if (event.type === 'frame') return `frame ${event.receivedAtMs}`;
  if (event.type === 'refused') return `refused ${event.atMs}`;
  return `${event.kind} ${event.socket} ${event.atMs}`;
}

test('hands over buffered events in order, and later ones at once', () => {
  const buffer = new BufferingSink();
  const received: string[] = [];
  const to = (event: SocketEvent): void => void received.push(nameOf(event));
  buffer.receive({ type: 'socket', ...name, kind: 'up', atMs: 1 });
  buffer.receive({ type: 'refused', ...name, atMs: 2 });
  buffer.receive({ type: 'frame', ...name, frame, receivedAtMs: 3 });
  buffer.receive({ type: 'refused', ...name, atMs: 4 });
  expect(received).toEqual([]);
  expect(buffer.open(to)).toEqual({});
  expect(received).toEqual(['up 0 1', 'refused 2', 'frame 3', 'refused 4']);
  buffer.receive({ type: 'refused', ...name, atMs: 5 });
  expect(received.at(-1)).toBe('refused 5');
});

test('dates sockets that are up after the dropped frames, so that these are a gap', () => {
  const buffer = new BufferingSink();
  buffer.receive({ type: 'socket', ...name, kind: 'up', atMs: 1 });
  buffer.receive({ type: 'socket', ...name, socket: 1, kind: 'up', atMs: 1 });
  buffer.receive({ type: 'socket', ...name, socket: 1, kind: 'down', atMs: 2 });
  for (let i = 0; i < 200_010; i += 1)
    buffer.receive({ type: 'frame', ...name, frame, receivedAtMs: 1_000 + i });
  const received: string[] = [];
  const { droppedUntilMs = 0 } = buffer.open((event) => void received.push(nameOf(event)));
  expect(droppedUntilMs).toBeGreaterThan(1_000);
  expect(received.slice(0, 2)).toEqual([`up 0 ${droppedUntilMs + 1}`, `frame ${droppedUntilMs + 1}`]);
  expect(received.at(-1)).toBe('frame 201009');
});

test('forgets what is old of a feed that delivers no frames', () => {
  const buffer = new BufferingSink({ keepMs: 10 });
  for (let i = 0; i < 10_000; i += 1)
    buffer.receive({ type: 'socket', ...name, kind: i % 2 === 0 ? 'down' : 'up', atMs: i });
  const received: string[] = [];
  buffer.open((event) => void received.push(nameOf(event)));
  expect(received.length).toBeLessThan(30);
  expect(received.at(-1)).toBe('up 0 9999');
});

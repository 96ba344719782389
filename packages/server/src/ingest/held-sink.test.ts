import { expect, test } from 'vitest';
import type { FeedSink } from './feed-sink.ts';
import { HeldSink } from './held-sink.ts';

const name = { venue: 'fake', feed: 'trades', socket: 0 };
const frame = { kind: 'trades', trades: [], isBackfill: false } as const;

test('hands on what was kept in the order in which it came, and then everything at once', () => {
  const held = new HeldSink();
  const said: string[] = [];
  const to: FeedSink = {
    frame: ({ receivedAtMs }) => void said.push(`frame ${receivedAtMs}`),
    refused: ({ atMs }) => void said.push(`refused ${atMs}`),
    socket: ({ kind, atMs }) => void said.push(`${kind} ${atMs}`),
  };
  held.socket({ ...name, kind: 'up', atMs: 1 });
  held.refused({ ...name, atMs: 2 });
  held.frame({ ...name, frame, receivedAtMs: 3 });
  held.refused({ ...name, atMs: 4 });
  expect(said).toEqual([]);
  expect(held.open(to)).toEqual({});
  expect(said).toEqual(['up 1', 'refused 2', 'frame 3', 'refused 4']);
  held.refused({ ...name, atMs: 5 });
  expect(said.at(-1)).toBe('refused 5');
});

test('dates what is up after the frames that had to be dropped, so that they are a hole', () => {
  const held = new HeldSink();
  held.socket({ ...name, kind: 'up', atMs: 1 });
  held.socket({ ...name, socket: 1, kind: 'up', atMs: 1 });
  held.socket({ ...name, socket: 1, kind: 'down', atMs: 2 });
  for (let i = 0; i < 200_010; i += 1) held.frame({ ...name, frame, receivedAtMs: 1_000 + i });
  const said: string[] = [];
  const { droppedUntilMs = 0 } = held.open({
    frame: ({ receivedAtMs }) => void said.push(`frame ${receivedAtMs}`),
    refused: () => undefined,
    socket: ({ kind, socket, atMs }) => void said.push(`${kind} ${socket} ${atMs}`),
  });
  expect(droppedUntilMs).toBeGreaterThan(1_000);
  expect(said.slice(0, 2)).toEqual([`up 0 ${droppedUntilMs + 1}`, `frame ${droppedUntilMs + 1}`]);
  expect(said.at(-1)).toBe('frame 201009');
});

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { followTopic, NO_ANSWER_YET } from '../topics.ts';
import { fakeFeed } from './testing/fake-venue.ts';
import { quiet, type Rig, startRig } from './testing/rig.ts';

const KEEP_MS = 15_000;
const feed = fakeFeed({
  name: 'books',
  demand: { keepMs: KEEP_MS, topicsMax: 3 },
  topics: (instruments, followed = []) =>
    instruments.filter(({ coin }) => followed.includes(coin)).map(({ symbol }) => symbol),
});

let rig: Rig;
beforeEach(async () => {
  rig = await startRig({ feeds: [feed], coins: ['A', 'B', 'C', 'D', 'E'] });
});
afterEach(() => rig.stop());

function follow(...coins: string[]): void {
  rig.bus.publish(followTopic, { venue: 'fake', feed: 'books', coins });
}

/** Lets a little time pass, for a socket to open and to receive. */
async function expectSent(frames: readonly string[]): Promise<void> {
  await rig.passUntil(() => received().length >= frames.length, 1_000);
  expect(received()).toEqual(frames);
}

const received = (): string[] => rig.venue.received.filter((frame) => frame !== 'ping');

describe('a feed on demand', () => {
  test('costs nothing without followers, and is not called down', async () => {
    await rig.pass(60_000, 5_000);
    expect(rig.venue.connections).toBe(0);
    expect(rig.health('books')).toBeUndefined();
  });

  test('subscribes to what is followed and listed', async () => {
    follow('B', 'NOPE');
    await rig.passUntil(() => rig.health('books')?.status === 'ok', 1_000);
    follow('B', 'D');
    await expectSent(['sub B', 'sub D']);
    expect(rig.venue.connections).toBe(1);
  });

  test('ignores what is followed at another venue or on another feed', async () => {
    rig.bus.publish(followTopic, { venue: 'other', feed: 'books', coins: ['A'] });
    rig.bus.publish(followTopic, { venue: 'fake', feed: 'trades', coins: ['A'] });
    await rig.pass(1_000);
    expect(rig.venue.connections).toBe(0);
  });

  test('waits for the list of the venue', async () => {
    rig.list([]);
    follow('A');
    await rig.pass(1_000);
    expect(rig.venue.connections).toBe(0);
    rig.list(['A']);
    await expectSent(['sub A']);
  });

  test('leaves a coin a while after it was last followed, and the venue with the last one', async () => {
    follow('A', 'B');
    await expectSent(['sub A', 'sub B']);
    for (let passedMs = 0; passedMs < 30_000; passedMs += 5_000) {
      follow('B');
      await rig.pass(5_000);
      if (passedMs < KEEP_MS - 5_000) expect(received()).toHaveLength(2);
    }
    expect(received()).toEqual(['sub A', 'sub B', 'unsub A']);
    expect(rig.venue.sockets).toHaveLength(1);
    await rig.passUntil(() => rig.venue.sockets.length === 0, KEEP_MS + 6_000, 1_000);
    expect(rig.socketChanges.map(({ kind }) => kind)).toEqual(['up', 'down']);
    follow('C');
    await rig.passUntil(() => rig.venue.sockets.length === 1, 1_000);
    await vi.waitFor(() => expect(received().at(-1)).toBe('sub C'));
    expect(rig.health('books')?.status).toBe('ok');
  });

  test('keeps those that came first where the venue allows no more, and takes the next when there is room', async () => {
    follow('E', 'D');
    await expectSent(['sub D', 'sub E']);
    follow('A', 'B', 'D');
    await expectSent(['sub D', 'sub E', 'sub A']);
    expect(rig.warnings).toMatchObject([{ fields: { topics: 4, kept: 3 } }]);
    for (let passedMs = 0; passedMs < 30_000; passedMs += 5_000) {
      follow('A', 'B', 'D');
      await rig.pass(5_000);
    }
    await vi.waitFor(() => expect(received().slice(3)).toEqual(['unsub E', 'sub B']));
    await quiet();
    expect(rig.venue.connections).toBe(1);
  });

  test('is idle, not failing, when its subscribers have left while the venue was down', async () => {
    rig.venue.intercept = (_, stream) => void stream.destroy();
    follow('A');
    const isSourceFailing = (): boolean => {
      const { error = NO_ANSWER_YET } = rig.health('books') ?? {};
      return error !== NO_ANSWER_YET;
    };
    await rig.passUntil(isSourceFailing, 10_000, 500);
    expect(isSourceFailing()).toBe(true);
    await rig.passUntil(() => rig.health('books')?.error === NO_ANSWER_YET, KEEP_MS + 10_000, 1_000);
    expect(rig.health('books')?.error).toBe(NO_ANSWER_YET);
  });

  test('subscribes again to what is followed after a cut', async () => {
    follow('A');
    await rig.passUntil(() => rig.health('books')?.status === 'ok', 1_000);
    rig.venue.received.length = 0;
    rig.venue.sockets[0]?.terminate();
    await vi.waitFor(() => expect(rig.socketChanges.at(-1)?.kind).toBe('down'));
    await rig.passUntil(() => rig.health('books')?.status === 'ok', 2_000);
    expect(received()).toEqual(['sub A']);
  });
});

import type { Feed } from '@crosstape/venues';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { fakeFeed } from './testing/fake-venue.ts';
import { type Rig, type RigOptions, startRig } from './testing/rig.ts';
import type { Wiretap } from './wiretap.ts';

let rig: Rig;
afterEach(() => rig.stop());

const coins = ['A', 'B', 'C', 'D', 'E'];
/** How long a subscription may stay unconfirmed. */
const CONFIRM_WAIT_MS = 15_000;

async function start(changes: Partial<Feed>, options: RigOptions = {}): Promise<void> {
  rig = await startRig({ feeds: [fakeFeed({ topicsPerFrame: 3, ...changes })], coins, ...options });
}

const sent = (): readonly string[] => rig.venue.received.filter((frame) => frame.includes('sub '));

/** A venue that refuses a whole frame because of C. */
const refuseC: RigOptions['prepare'] = (venue) => {
  const { reply } = venue;
  venue.reply = (frame, socket) => {
    if (frame.startsWith('sub ') && frame.includes('C')) socket.send('no such topic');
    else reply(frame, socket);
  };
};

describe('a feed whose frames may name several topics', () => {
  test('subscribes to and leaves as many at once as a frame may name', async () => {
    await start({});
    await rig.passUntil(() => sent().length === 2, 3_000);
    rig.list(['A']);
    await vi.waitFor(() => expect(sent()).toHaveLength(4));
    expect(sent()).toEqual(['sub A,B,C', 'sub D,E', 'unsub B,C,D', 'unsub E']);
  });

  test('counts each frame as one message against the limit of the venue', async () => {
    await start({ isWhole: true }, { limits: { messagesPerMinute: 8 } });
    await rig.passUntil(() => rig.health('trades')?.status === 'ok', 3_000, 100);
    expect(sent()).toEqual(['sub A,B,C', 'sub D,E']);
  });

  test('reports all topics of a frame to the wiretap', async () => {
    const topics: unknown[] = [];
    const socket = {
      opened: () => undefined,
      refused: () => undefined,
      sent: (_: string, about: { readonly topics?: readonly string[] } = {}) => topics.push(about.topics),
      received: () => undefined,
      closed: () => undefined,
    };
    const wiretap = { venue: () => ({ request: () => undefined, socket: () => socket }) };
    await start({}, { wiretap: wiretap as unknown as Wiretap });
    await rig.passUntil(() => topics.length === 2, 3_000);
    expect(topics).toEqual([
      ['A', 'B', 'C'],
      ['D', 'E'],
    ]);
  });
});

describe('a frame that the venue refuses because of one topic', () => {
  test('of a whole feed is sent again topic by topic, and names the one that stays unconfirmed', async () => {
    await start({ isWhole: true }, { prepare: refuseC });
    await rig.passUntil(() => rig.health('trades')?.status === 'stale', 2 * CONFIRM_WAIT_MS, 1_000);
    expect(rig.health('trades')?.error).toBe('Subscription not confirmed: A, B, C.');
    await rig.passUntil(() => sent().length === 5, 1_000);
    expect(sent()).toEqual(['sub A,B,C', 'sub D,E', 'sub A', 'sub B', 'sub C']);
    await rig.passUntil(
      () => rig.health('trades')?.error === 'Subscription not confirmed: C.',
      2 * CONFIRM_WAIT_MS,
      1_000,
    );
    rig.list(['A', 'B', 'D', 'E']);
    await rig.passUntil(() => rig.health('trades')?.status === 'ok', 2 * CONFIRM_WAIT_MS, 1_000);
  });

  test('of any other feed is sent again where the venue is known to do so, without a change of health', async () => {
    await start({ refusesWholeFrames: true }, { prepare: refuseC });
    await rig.passUntil(() => rig.health('trades')?.status === 'ok', 3_000);
    await rig.passUntil(() => sent().length === 5, 2 * CONFIRM_WAIT_MS, 1_000);
    expect(sent().slice(2)).toEqual(['sub A', 'sub B', 'sub C']);
    expect(rig.health('trades')?.status).toBe('ok');
  });

  test('is not sent again where confirmations do not matter', async () => {
    await start({}, { prepare: refuseC });
    await rig.pass(2 * CONFIRM_WAIT_MS, 5_000);
    expect(sent()).toEqual(['sub A,B,C', 'sub D,E']);
  });
});

import { afterEach, describe, expect, test } from 'vitest';
import { healthTopic } from '../topics.ts';
import { fakeFeed } from './testing/fake-venue.ts';
import { quiet, type Rig, type RigOptions, startRig } from './testing/rig.ts';

let rig: Rig;
afterEach(() => rig.stop());

async function startOk(options: RigOptions = {}): Promise<void> {
  rig = await startRig({ feeds: [fakeFeed()], coins: ['BTC', 'ETH'], ...options });
  await rig.passUntil(() => rig.health('trades')?.status === 'ok', 3_000);
}

function say(frame: string): void {
  for (const socket of rig.venue.sockets) socket.send(frame);
}

/** The venue trades once every so often, for a while. */
async function trade(forMs: number, everyMs: number): Promise<void> {
  for (let passedMs = 0; passedMs < forMs; passedMs += everyMs) {
    say('T BTC 100');
    await quiet();
    await rig.pass(everyMs);
  }
}

describe('a feed that is not understood', () => {
  test('is down from its first unreadable frame until its frames are valid again', async () => {
    await startOk();
    await trade(3_000, 500);
    expect(rig.feedChanges.map(({ kind }) => kind)).toEqual(['up']);
    const sinceMs = rig.clock.now();
    for (let frame = 0; frame < 20; frame += 1) {
      say('garbage');
      await quiet();
      await rig.pass(100);
    }
    await rig.passUntil(() => rig.feedChanges.length === 2, 1_000);
    expect(rig.health('trades')?.status).toBe('changed');
    expect(rig.feedChanges[1]).toMatchObject({ kind: 'down', lastReceivedMs: sinceMs });
    await trade(30_000, 250);
    expect(rig.feedChanges.at(-1)?.kind).toBe('up');
  });

  test('that is bursty tolerates a long silence, and is down after too long a one', async () => {
    const silentMaxMs = 600_000;
    await startOk({ feeds: [fakeFeed({ silentMaxMs, isBursty: true })] });
    await trade(60_000, 1_000);
    const lastMs = rig.frames.at(-1)?.receivedAtMs;
    await rig.pass(silentMaxMs - 10_000, 10_000);
    expect(rig.health('trades')?.status).toBe('ok');
    await rig.passUntil(() => rig.health('trades')?.status === 'stale', 30_000, 1_000);
    expect(rig.feedChanges[1]).toMatchObject({ kind: 'down', lastReceivedMs: lastMs });
    // A new subscription proves nothing; received data does.
    await rig.passUntil(() => rig.venue.sockets.length > 0, 10_000);
    await rig.pass(5_000, 500);
    expect(rig.feedChanges).toHaveLength(2);
    await trade(1_000, 500);
    expect(rig.feedChanges.at(-1)?.kind).toBe('up');
  });
});

describe('a feed that must be whole', () => {
  const { silentMaxMs: _, ...feed } = fakeFeed({ name: 'liquidations', isWhole: true });
  const kinds = (): string[] => rig.feedChanges.map(({ kind }) => kind);

  test('is changed while nothing is understood, not unconfirmed by turns', async () => {
    rig = await startRig({
      feeds: [feed],
      coins: ['A'],
      prepare: (venue) => {
        venue.reply = (frame, socket) => socket.send(frame === 'ping' ? 'pong' : 'garbage');
      },
    });
    await rig.passUntil(() => rig.venue.sockets.length === 1, 3_000);
    for (let frame = 0; frame < 20; frame += 1) say('garbage');
    await rig.passUntil(() => rig.health('liquidations')?.status === 'changed', 2_000);
    const statuses: unknown[] = [];
    rig.bus.subscribe(healthTopic('fake'), ([health]) => void statuses.push(health?.status));
    for (let second = 0; second < 60; second += 1) {
      await rig.pass(1_000);
      if (second % 7 === 0) say('garbage');
    }
    expect(rig.health('liquidations')?.status).toBe('changed');
    expect(statuses.filter((status) => status !== 'changed')).toEqual([]);
  });

  test('is up when every topic is confirmed; a refused topic is reported and sent again', async () => {
    rig = await startRig({
      feeds: [feed],
      coins: ['A', 'B', 'C'],
      prepare: (venue) => {
        venue.reply = (frame, socket) => {
          if (frame === 'ping') socket.send('pong');
          else socket.send(frame === 'sub B' ? 'no such topic' : `ack ${frame.slice(4)}`);
        };
      },
    });
    await rig.pass(60_000, 1_000);
    expect(kinds()).not.toContain('up');
    expect(rig.health('liquidations')).toMatchObject({
      status: 'stale',
      error: 'Subscription not confirmed: B.',
    });
    expect(rig.venue.received.filter((frame) => frame === 'sub B').length).toBeGreaterThan(2);
    expect(rig.venue.received.filter((frame) => frame === 'sub A')).toHaveLength(1);
    rig.venue.reply = (frame, socket) => {
      socket.send(frame === 'ping' ? 'pong' : `ack ${frame.slice(4)}`);
    };
    await rig.passUntil(() => rig.health('liquidations')?.status === 'ok', 40_000, 1_000);
    expect(kinds().at(-1)).toBe('up');
    // A refused addition makes a complete feed incomplete; without it, it is complete again.
    rig.venue.reply = (frame, socket) => socket.send(frame === 'ping' ? 'pong' : 'no such topic');
    rig.list(['A', 'B', 'C', 'D']);
    await rig.passUntil(() => kinds().at(-1) === 'down', 60_000, 1_000);
    rig.list(['A', 'B', 'C']);
    await rig.passUntil(() => kinds().at(-1) === 'up', 60_000, 1_000);
  });

  test('counts the rows of a frame that were left out, and delivers the others', async () => {
    const open = () => () =>
      ({
        kind: 'liquidations',
        liquidations: [],
        isBackfill: false,
        topics: ['A'],
        refused: ['odd'],
      }) as const;
    rig = await startRig({ feeds: [{ ...feed, open }], coins: ['A'] });
    await rig.passUntil(() => rig.frames.length > 0, 3_000);
    await rig.passUntil(() => rig.health('liquidations')?.refused === 1, 10_000, 1_000);
    expect(rig.health('liquidations')).toMatchObject({ status: 'ok' });
  });
});

test('a request that the venue refuses is counted, and no data are reported as unreadable', async () => {
  const { open } = fakeFeed();
  const answered = (text: string) =>
    text === 'no' ? ({ kind: 'refused', why: 'no', isReply: true } as const) : open(() => ({}))(text);
  await startOk({ feeds: [fakeFeed({ open: () => answered })] });
  say('no');
  say('garbage');
  await rig.passUntil(() => rig.health('trades')?.refused === 2, 10_000);
  expect(rig.refused).toHaveLength(1);
});

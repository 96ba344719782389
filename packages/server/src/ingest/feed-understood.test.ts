import { afterEach, describe, expect, test } from 'vitest';
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
  test('is not heard since what it said was no longer understood, until it is again', async () => {
    await startOk();
    await trade(3_000, 500);
    expect(rig.feedChanges.map(({ kind }) => kind)).toEqual(['up']);
    const sinceMs = rig.clock.now();
    for (let frame = 0; frame < 20; frame += 1) {
      say('rubbish');
      await quiet();
      await rig.pass(100);
    }
    await rig.passUntil(() => rig.feedChanges.length === 2, 1_000);
    expect(rig.health('trades')?.status).toBe('changed');
    expect(rig.feedChanges[1]).toMatchObject({ kind: 'down', heardMs: sinceMs });
    await trade(30_000, 250);
    expect(rig.feedChanges.at(-1)?.kind).toBe('up');
  });

  test('of one that comes in bursts a long silence is none, and too long a one is not heard', async () => {
    const silentMaxMs = 600_000;
    await startOk({ feeds: [fakeFeed({ silentMaxMs, isBursty: true })] });
    await trade(60_000, 1_000);
    const lastMs = rig.frames.at(-1)?.receivedAtMs;
    await rig.pass(silentMaxMs - 10_000, 10_000);
    expect(rig.health('trades')?.status).toBe('ok');
    await rig.passUntil(() => rig.health('trades')?.status === 'stale', 30_000, 1_000);
    expect(rig.feedChanges[1]).toMatchObject({ kind: 'down', heardMs: lastMs });
    // To be subscribed again proves nothing; to be told something does.
    await rig.passUntil(() => rig.venue.sockets.length > 0, 10_000);
    await rig.pass(5_000, 500);
    expect(rig.feedChanges).toHaveLength(2);
    await trade(1_000, 500);
    expect(rig.feedChanges.at(-1)?.kind).toBe('up');
  });
});

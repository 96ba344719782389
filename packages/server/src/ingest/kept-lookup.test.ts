import { afterEach, beforeEach, expect, test } from 'vitest';
import type { KeptAnswer, KeptAnswers } from './kept-answer.ts';
import { fakeLookup } from './testing/fake-venue.ts';
import { type Rig, type RigOptions, startRig } from './testing/rig.ts';

const EVERY_MS = 60_000;
let rig: Rig;
afterEach(() => rig.stop());

const rowsBy = (): Readonly<Record<string, number>> =>
  Object.fromEntries((rig.snapshot()?.rows ?? []).map(({ symbol, contracts }) => [symbol, contracts]));

async function start(options: RigOptions): Promise<void> {
  rig = await startRig({
    ...options,
    prepare: (venue) => {
      venue.answer = ({ url = '' }, response) =>
        void response.end(JSON.stringify([[url.slice('/oi/'.length), 1]]));
    },
  });
}

let shelf: Map<string, KeptAnswer>;
let kept: KeptAnswers;
beforeEach(() => {
  shelf = new Map();
  kept = {
    get: (source) => shelf.get(source),
    put: (source, answer) => void shelf.set(source, answer),
  };
});

test('what is kept is there at once after a restart, as old as the oldest of it', async () => {
  const lookups = [fakeLookup({ keys: () => ['C0', 'C1', 'C2'], isKept: true })];
  await start({ lookups, kept });
  await rig.passUntil(() => Object.keys(rowsBy()).length === 3, 20_000);
  await rig.pass(EVERY_MS + 5_000, 1_000);
  const { fetchedAtMs = 0 } = shelf.get('fake:oi')?.good ?? {};
  expect(rig.clock.now() - fetchedAtMs).toBeLessThan(2 * EVERY_MS);
  await rig.stop();

  await start({ lookups, kept, startMs: fetchedAtMs + EVERY_MS });
  expect(rowsBy()).toEqual({ C0: 1, C1: 1, C2: 1 });
  expect(rig.snapshot()?.fetchedAtMs).toBe(fetchedAtMs);
});

test('a key that is no longer asked for makes nothing of what is kept older', async () => {
  let keys = ['C0', 'C1', 'GONE'];
  const lookups = [fakeLookup({ keys: () => keys, isKept: true })];
  await start({ lookups, kept });
  await rig.passUntil(() => Object.keys(rowsBy()).length === 3, 20_000);
  keys = ['C0', 'C1'];
  await rig.pass(2.9 * EVERY_MS, 1_000);
  expect(rowsBy()).toHaveProperty('GONE');
  const stoppedAtMs = rig.clock.now();
  await rig.stop();

  await start({ lookups, kept, startMs: stoppedAtMs + EVERY_MS });
  expect(rowsBy()).toMatchObject({ C0: 1, C1: 1 });
});

import { Malformed } from '@crosstape/venues';
import { afterEach, expect, test } from 'vitest';
import { fakeLookup } from './testing/fake-venue.ts';
import { type Rig, startRig } from './testing/rig.ts';

const EVERY_MS = 5_000;
let rig: Rig;
afterEach(() => rig.stop());

/** Keys whose answers are mostly malformed, and keys whose answers are malformed as a whole. */
let mostly: ReadonlySet<string>;
let wholly: ReadonlySet<string>;

async function start(...keys: readonly string[]): Promise<void> {
  [mostly, wholly] = [new Set(), new Set()];
  const { parse } = fakeLookup();
  const lookup = fakeLookup({
    keys: () => keys,
    everyMs: EVERY_MS,
    parse: (body, atMs, known, key) => {
      if (wholly.has(key)) throw new Malformed('no such field');
      const refused = mostly.has(key) ? ['2 of 3 rows: no such field'] : [];
      return { ...parse(body, atMs, known, key), refused };
    },
  });
  rig = await startRig({
    lookups: [lookup],
    prepare: (venue) => {
      venue.answer = ({ url = '' }, response) => void response.end(JSON.stringify([[url.slice(4), 1]]));
    },
  });
  await rig.passUntil(() => rig.snapshot()?.rows.length === keys.length, 10_000);
}

const turnsTo = (status: string): Promise<void> =>
  rig.passUntil(() => rig.health('oi')?.status === status, 6 * EVERY_MS, 500);

test('a keyed source whose answers are mostly malformed is changed until they are good again', async () => {
  const keys = ['A', 'B', 'C', 'D'];
  await start(...keys);
  mostly = new Set(keys.slice(1));
  await turnsTo('changed');
  expect(rig.health('oi')?.error).toMatch(/^Most of its openInterest cannot be parsed: 2 of 3 rows/);
  // A good answer of another key does not hide it.
  const turns: unknown[] = [];
  for (let i = 0; i < 20; i += 1) {
    await rig.pass(500);
    turns.push(rig.health('oi')?.status);
  }
  expect(new Set(turns)).toEqual(new Set(['changed']));
  mostly = new Set(['B']);
  await turnsTo('ok');
  await rig.pass(2 * EVERY_MS, 500);
  expect(rig.health('oi')?.status).toBe('ok');
});

test.each([1, 2])('a source of %i keys that all become malformed is changed', async (count) => {
  const keys = ['A', 'B'].slice(0, count);
  await start(...keys);
  wholly = new Set(keys);
  await turnsTo('changed');
  wholly = new Set();
  mostly = new Set(keys);
  await rig.pass(3 * EVERY_MS, 500);
  expect(rig.health('oi')?.status).toBe('changed');
  mostly = new Set();
  await turnsTo('ok');
});

test('keys that were no longer wanted when their malformed answers arrived do not count against the others', async () => {
  const answers: (() => void)[] = [];
  let keys = ['X', 'Y', 'Z'];
  const { parse } = fakeLookup();
  const lookup = fakeLookup({
    keys: () => keys,
    everyMs: EVERY_MS,
    parse: (body, atMs, known, key) => {
      if (['X', 'Y', 'Z', 'A'].includes(key)) throw new Malformed('no such field');
      return parse(body, atMs, known, key);
    },
  });
  rig = await startRig({
    lookups: [lookup],
    coins: ['BTC'],
    prepare: (venue) => {
      venue.answer = ({ url = '' }, response) => {
        const answer = (): void => void response.end(JSON.stringify([[url.slice(4), 1]]));
        if (keys.includes('X')) answers.push(answer);
        else answer();
      };
    },
  });
  await rig.passUntil(() => answers.length === 3, 1_000);
  keys = ['B', 'C', 'D', 'A'];
  rig.list(['BTC', 'ETH']);
  for (const answer of answers) answer();
  await rig.passUntil(() => rig.snapshot()?.rows.length === 3, 10_000);
  await rig.pass(3 * EVERY_MS, 500);
  expect(rig.health('oi')?.status).toBe('ok');
});

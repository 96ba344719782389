import { afterEach, expect, test } from 'vitest';
import { fakeLookup, fakeResource, oiBody } from './testing/fake-venue.ts';
import { type Rig, startRig } from './testing/rig.ts';

let rig: Rig;
afterEach(() => rig.stop());

const EVERY_MS = 60_000;

/** A venue behind an HTTP cache: each answer has the next age, the last one again and again. */
async function startCached(
  answers: readonly { readonly ageS: number | string; readonly contracts?: number }[],
  changes: Parameters<typeof fakeResource>[0] = {},
): Promise<void> {
  let asked = 0;
  rig = await startRig({
    resources: [fakeResource({ everyMs: EVERY_MS, ...changes })],
    prepare: (venue) => {
      venue.answer = (_, response) => {
        const { ageS, contracts = asked } = answers[Math.min(asked, answers.length - 1)] ?? { ageS: 0 };
        asked += 1;
        response.setHeader('age', String(ageS)).end(oiBody(contracts));
      };
    },
  });
  await rig.passUntil(() => rig.snapshot() !== undefined, 2_000);
}

const ageS = (): number => Math.round((rig.clock.now() - (rig.snapshot()?.fetchedAtMs ?? 0)) / 1_000);
const healthAgeS = (): number => Math.round((rig.clock.now() - (rig.health('oi')?.lastGoodMs ?? 0)) / 1_000);

test('an answer is as old as the cache in front of its source says', async () => {
  await startCached([{ ageS: 100 }]);
  expect(ageS()).toBe(100);
  expect(healthAgeS()).toBe(100);
  expect(rig.health('oi')?.status).toBe('ok');
});

test('a source whose cache is not renewed becomes stale though it answers', async () => {
  await startCached([{ ageS: 100 }, { ageS: 160 }, { ageS: 220 }]);
  await rig.passUntil(() => rig.health('oi')?.status === 'stale', 3 * EVERY_MS, 1_000);
  expect(rig.health('oi')?.error).toBe('Its newest answer is more than 180 s old.');
  await rig.passUntil(() => rig.venue.asked.length >= 3, 3 * EVERY_MS, 1_000);
  expect(rig.health('oi')?.status).toBe('stale');
  expect(ageS()).toBeGreaterThanOrEqual(220);
});

test('a source that declares how old its answers may be is not stale before', async () => {
  await startCached([{ ageS: 80_000 }], { freshMs: 86_400_000 });
  expect(rig.health('oi')?.status).toBe('ok');
  expect(rig.snapshot()).toMatchObject({ everyMs: EVERY_MS, freshMs: 86_400_000 });
});

test('an answer from an older cache does not replace a newer one', async () => {
  await startCached([
    { ageS: 10, contracts: 1 },
    { ageS: 150, contracts: 2 },
    { ageS: 20, contracts: 3 },
  ]);
  const firstMs = rig.snapshot()?.fetchedAtMs;
  await rig.passUntil(() => rig.venue.asked.length === 2, 2 * EVERY_MS, 1_000);
  expect(rig.snapshot()).toMatchObject({ fetchedAtMs: firstMs, rows: [{ contracts: 1 }] });
  expect(rig.health('oi')?.status).toBe('ok');
  await rig.passUntil(() => rig.venue.asked.length === 3, 2 * EVERY_MS, 1_000);
  await rig.passUntil(() => rig.snapshot()?.rows[0]?.contracts === 3, 2_000);
});

test('a header that makes no sense is not believed', async () => {
  await startCached([{ ageS: 'yesterday' }]);
  expect(ageS()).toBe(0);
});

test('an answer in pages is as old as the oldest of them', async () => {
  const { parse } = fakeResource();
  rig = await startRig({
    resources: [
      fakeResource({
        everyMs: EVERY_MS,
        parse: (body, atMs, known, path = '') => ({
          ...parse(body, atMs, known),
          ...(path === '/oi' && { more: { method: 'GET', path: '/oi/2' } as const }),
        }),
      }),
    ],
    prepare: (venue) => {
      venue.answer = ({ url }, response) =>
        void response.setHeader('age', url === '/oi' ? '90' : '5').end(oiBody(1));
    },
  });
  await rig.passUntil(() => rig.snapshot() !== undefined, 2_000);
  expect(ageS()).toBe(90);
});

test('what is requested key by key is as old as each answer says', async () => {
  rig = await startRig({
    lookups: [fakeLookup({ everyMs: EVERY_MS, keys: () => ['BTC', 'ETH'] })],
    prepare: (venue) => {
      venue.answer = ({ url = '' }, response) => {
        const age = url.endsWith('BTC') ? '90' : '0';
        response.setHeader('age', age).end(JSON.stringify([[url.slice(4), 1]]));
      };
    },
  });
  await rig.passUntil(() => rig.snapshot()?.rows.length === 2, 60_000);
  const { rows = [], rowsAtMs = [] } = rig.snapshot() ?? {};
  const atMs = Object.fromEntries(rows.map(({ coin }, i) => [coin, rowsAtMs[i] ?? 0]));
  expect((atMs['ETH'] ?? 0) - (atMs['BTC'] ?? 0)).toBeGreaterThanOrEqual(80_000);
});

test('an answer to a key from an older cache does not replace a newer one, nor make the source stale', async () => {
  const answers = [
    { age: '0', contracts: 1 },
    { age: '200', contracts: 2 },
    { age: '0', contracts: 3 },
  ];
  let asked = 0;
  rig = await startRig({
    lookups: [fakeLookup({ everyMs: EVERY_MS, keys: () => ['BTC'] })],
    prepare: (venue) => {
      venue.answer = (_, response) => {
        const { age, contracts } = answers[asked] ?? { age: '0', contracts: 0 };
        asked += 1;
        response.setHeader('age', age).end(JSON.stringify([['BTC', contracts]]));
      };
    },
  });
  const contractsAfter = async (count: number): Promise<unknown> => {
    await rig.passUntil(() => asked === count, 2 * EVERY_MS, 1_000);
    await rig.pass(2_000, 500);
    return [rig.snapshot()?.rows[0]?.contracts, rig.health('oi')?.status];
  };
  expect(await contractsAfter(1)).toEqual([1, 'ok']);
  expect(await contractsAfter(2)).toEqual([1, 'ok']);
  expect(await contractsAfter(3)).toEqual([3, 'ok']);
});

import { MINUTE_MS, type ParsedTables } from '@crosstape/core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { snapshotTopic } from '../topics.ts';
import { fakeLookup, fakeResource } from './testing/fake-venue.ts';
import { type Rig, startRig } from './testing/rig.ts';

const COINS = ['A', 'B', 'C'];
/** The answer of the bulk call: coins with their hours, or an HTTP status. */
let bulk: Readonly<Record<string, number>> | number;
let rig: Rig;

const parse = (body: unknown): ParsedTables => ({
  fundingPeriods: Object.entries(body as Record<string, number>).map(([symbol, periodHours]) => ({
    coin: symbol,
    symbol,
    periodHours,
  })),
});

beforeEach(() => {
  bulk = { A: 8, B: 8, C: 8 };
});
afterEach(() => rig.stop());

async function start(): Promise<void> {
  rig = await startRig({
    coins: COINS,
    resources: [
      fakeResource({
        name: 'bulk',
        everyMs: MINUTE_MS,
        gives: ['fundingPeriods'],
        request: { method: 'GET', path: '/bulk' },
        parse,
      }),
    ],
    lookups: [
      fakeLookup({
        name: 'one',
        everyMs: 15 * MINUTE_MS,
        fallbackFor: 'bulk',
        gives: ['fundingPeriods'],
        keys: () => COINS,
        request: (key) => ({ method: 'GET', path: `/one/${key}` }),
        parse,
      }),
    ],
    prepare: (venue) => {
      venue.answer = ({ url = '' }, response) => {
        if (url !== '/bulk') response.end(JSON.stringify({ [url.slice('/one/'.length)]: 4 }));
        else if (typeof bulk === 'number') response.writeHead(bulk).end();
        else response.end(JSON.stringify(bulk));
      };
    },
  });
}

const askedOne = (): readonly string[] =>
  rig.venue.asked.filter((path) => path.startsWith('/one/')).toSorted();
const hours = (): Readonly<Record<string, number>> =>
  Object.fromEntries(
    rig.bus
      .latest(snapshotTopic('fake', 'fundingPeriods'))
      ?.message.rows.map(({ symbol, periodHours }) => [symbol, periodHours]) ?? [],
  );

test('a fallback asks for nothing while the resource answers', async () => {
  await start();
  await rig.pass(20 * MINUTE_MS, 5_000);
  expect(askedOne()).toEqual([]);
  expect(hours()).toEqual({ A: 8, B: 8, C: 8 });
  expect(rig.health('one')).toBeUndefined();
});

test('a fallback asks only for what the resource leaves out', async () => {
  bulk = { A: 8, C: 8 };
  await start();
  await rig.pass(5 * MINUTE_MS, 5_000);
  expect(askedOne()).toEqual(['/one/B']);
  expect(hours()).toEqual({ A: 8, B: 4, C: 8 });
});

test('a fallback asks for everything once the resource fails, and leaves when it is back', async () => {
  bulk = 404;
  await start();
  await rig.pass(5_000, 500);
  expect(askedOne()).toEqual([]);
  await rig.passUntil(() => Object.keys(hours()).length === 3, 20_000, 500);
  expect(hours()).toEqual({ A: 4, B: 4, C: 4 });
  bulk = { A: 8, B: 8, C: 8 };
  await rig.passUntil(() => hours()['A'] === 8, 10 * MINUTE_MS, 1_000);
  // Older answers of the fallback are not mixed with newer ones.
  await rig.pass(5_000, 1_000);
  expect(hours()).toEqual({ A: 8, B: 8, C: 8 });
  expect(rig.bus.latest(snapshotTopic('fake', 'fundingPeriods'))?.message.rows).toHaveLength(3);
  const before = askedOne().length;
  await rig.pass(30 * MINUTE_MS, 10_000);
  expect(askedOne()).toHaveLength(before);
});

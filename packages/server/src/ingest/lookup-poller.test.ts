import { Malformed } from '@crosstape/venues';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { healthTopic, snapshotTopic } from '../topics.ts';
import { fakeLookup, fakeResource } from './testing/fake-venue.ts';
import { quiet, type Rig, type RigOptions, startRig } from './testing/rig.ts';

const EVERY_MS = 60_000;
let rig: Rig;
afterEach(() => rig.stop());

const many = (count: number): readonly string[] => Array.from({ length: count }, (_, i) => `C${i}`);
const keyOf = (url = ''): string => url.slice('/oi/'.length);
const rowsBy = (): Readonly<Record<string, number>> =>
  Object.fromEntries((rig.snapshot()?.rows ?? []).map(({ symbol, contracts }) => [symbol, contracts]));

const lookupOnDemand = fakeLookup({
  polled: 'demand',
  everyMs: 10_000,
  keys: (_, asked) => asked.filter((key) => key !== 'NONE'),
});

/** How each key is answered: a count, or an HTTP status as a text. */
let answers: Record<string, number | string> = {};

async function start(options: RigOptions): Promise<void> {
  answers = {};
  rig = await startRig({
    ...options,
    prepare: (venue) => {
      venue.answer = ({ url }, response) => {
        const answer = answers[keyOf(url)] ?? answers['*'] ?? 1;
        if (typeof answer === 'string') response.writeHead(Number(answer)).end();
        else response.end(JSON.stringify([[keyOf(url), answer]]));
      };
      options.prepare?.(venue);
    },
  });
}

/** Starts and waits until every key has been requested once. */
async function startAll(count: number, options: RigOptions = {}): Promise<void> {
  await start({ lookups: [fakeLookup({ keys: () => many(count) })], ...options });
  await rig.passUntil(() => Object.keys(rowsBy()).length === count, 20_000);
}

describe('keys that are always requested', () => {
  test('are all requested at once in the beginning, and make one table', async () => {
    await startAll(30);
    expect(rig.venue.asked.toSorted()).toEqual(
      many(30)
        .map((key) => `/oi/${key}`)
        .toSorted(),
    );
    expect(rig.snapshot()).toMatchObject({ venue: 'fake', everyMs: EVERY_MS });
    expect(rig.health('oi')?.status).toBe('ok');
  });

  test('then take turns evenly over the cadence', async () => {
    await startAll(30);
    await rig.pass(1_000);
    rig.venue.asked.length = 0;
    const perSecond: number[] = [];
    for (let second = 0; second < 60; second += 1) {
      const before = rig.venue.asked.length;
      await rig.pass(1_000, 250);
      perSecond.push(rig.venue.asked.length - before);
    }
    expect(Math.max(...perSecond)).toBe(1);
    expect(new Set(rig.venue.asked).size).toBe(30);
    expect(rig.venue.asked).toHaveLength(30);
  });

  test('come before their turn, once, when their answer has expired', async () => {
    let outdated = new Map<string, number>();
    await startAll(30, { lookups: [fakeLookup({ keys: () => many(30), outdated: () => outdated })] });
    await rig.pass(10_000, 500);
    rig.venue.asked.length = 0;
    const nowMs = rig.clock.now();
    outdated = new Map(['C20', 'C21', 'C22', 'NEVER'].map((key) => [key, nowMs]));
    await rig.pass(3_000, 100);
    expect(rig.venue.asked.slice(0, 3).toSorted()).toEqual(['/oi/C20', '/oi/C21', '/oi/C22']);
    expect(rig.venue.asked.length).toBeLessThan(6);
    await rig.pass(27_000, 500);
    expect(rig.venue.asked.filter((path) => path === '/oi/C21')).toHaveLength(1);
  });

  test('replace their own rows, and the table is published once a second', async () => {
    await startAll(30, { lookups: [fakeLookup({ keys: () => many(30), everyMs: 3_000 })] });
    let publications = 0;
    rig.bus.subscribe(snapshotTopic('fake', 'openInterest'), () => (publications += 1));
    answers = { C7: 77, '*': 1 };
    await rig.pass(10_000, 100);
    expect(rowsBy()).toMatchObject({ C6: 1, C7: 77, C8: 1 });
    expect(Object.keys(rowsBy())).toHaveLength(30);
    expect(publications).toBeGreaterThanOrEqual(8);
    expect(publications).toBeLessThanOrEqual(11);
    expect(rig.clock.now() - (rig.snapshot()?.fetchedAtMs ?? 0)).toBeLessThanOrEqual(1_100);
  });

  test('follow the tables that they are made from, and wait for those that they need', async () => {
    const lookup = fakeLookup({
      needs: ['instruments'],
      keys: ({ instruments = [] }) => instruments.map(({ symbol }) => symbol),
    });
    let listed = '["A","B"]';
    const list = fakeResource({
      name: 'list',
      gives: ['instruments'],
      request: { method: 'GET', path: '/list' },
      parse: (body) => ({ instruments: (body as string[]).map((coin) => ({ coin, symbol: coin })) }),
    });
    let isListing = false;
    await start({
      lookups: [lookup],
      resources: [list],
      prepare: (venue) => {
        const { answer } = venue;
        venue.answer = (request, response) => {
          if (request.url !== '/list') answer(request, response);
          else response.writeHead(isListing ? 200 : 503).end(listed);
        };
      },
    });
    await rig.pass(3_000, 500);
    expect(rig.venue.asked.filter((path) => path !== '/list')).toEqual([]);
    expect(rig.health('oi')).toMatchObject({ status: 'down', error: 'No answer yet.' });
    isListing = true;
    await rig.passUntil(() => Object.keys(rowsBy()).join() === 'A,B', 10_000);
    listed = '["B","C"]';
    await rig.passUntil(() => 'C' in rowsBy(), 10_000);
    // A key that is no longer requested is dropped after three cadences.
    expect(rowsBy()).toHaveProperty('A');
    await rig.pass(3 * EVERY_MS, 1_000);
    await rig.passUntil(() => !('A' in rowsBy()), EVERY_MS, 1_000);
    expect(Object.keys(rowsBy())).toEqual(['B', 'C']);
  });

  test('are joined by requested ones for a while', async () => {
    const keys = (_: unknown, asked: readonly string[]): readonly string[] => ['A', ...asked];
    await start({ lookups: [fakeLookup({ everyMs: 10_000, keys })] });
    await rig.passUntil(() => 'A' in rowsBy(), 2_000);
    rig.want(['B']);
    await rig.passUntil(() => 'B' in rowsBy(), 2_000);
    await rig.pass(100_000, 1_000);
    expect(rowsBy()).toEqual({ A: 1 });
  });

  test('keep within the limit that the venue has for them', async () => {
    await start({ lookups: [fakeLookup({ keys: () => many(200), everyMs: 10_000, perMinute: 40 })] });
    let most = 0;
    const asked: number[] = [];
    for (let second = 0; second < 180; second += 1) {
      await rig.pass(1_000, 250);
      asked.push(rig.venue.asked.length);
      most = Math.max(most, rig.venue.asked.length - (asked.at(-61) ?? 0));
    }
    expect(most).toBeLessThanOrEqual(40);
    expect(rig.venue.asked.length).toBeGreaterThan(90);
  });

  test('do not block other requests to the venue', async () => {
    const path = '/other';
    const keys = many(500);
    const other = fakeResource({ name: 'other', everyMs: 2_000, request: { method: 'GET', path } });
    await start({
      lookups: [fakeLookup({ keys: () => keys })],
      resources: [{ ...other, gives: ['prices'], parse: () => ({ prices: [] }) }],
      limits: { weightPerMinute: 240 },
    });
    await rig.pass(30_000, 250);
    // One every two seconds, each behind at most four lookups at three a second.
    expect(rig.venue.asked.filter((one) => one === path).length).toBeGreaterThan(7);
  });
});

describe('problem', () => {
  test('of one key is its own: the others continue and the source is ok', async () => {
    await startAll(5);
    answers = { C2: '404' };
    const turns: unknown[] = [];
    rig.bus.subscribe(healthTopic('fake'), ([health]) => turns.push(health?.status));
    await rig.pass(2 * EVERY_MS, 1_000);
    expect(new Set(turns)).toEqual(new Set(['ok']));
    expect(rig.venue.asked.filter((path) => path === '/oi/C2').length).toBe(3);
    await rig.pass(2 * EVERY_MS, 1_000);
    expect(Object.keys(rowsBy()).toSorted()).toEqual(['C0', 'C1', 'C3', 'C4']);
  });

  test('of one key whose answer is malformed is counted, and reported once', async () => {
    const lookup = fakeLookup({
      keys: () => many(5),
      everyMs: 5_000,
      parse: (_, __, ___, key) => {
        if (key === 'C2') throw new Malformed('no such symbol');
        return { openInterest: [] };
      },
    });
    await start({ lookups: [lookup] });
    await rig.pass(16_000, 500);
    expect(rig.health('oi')).toMatchObject({ status: 'ok' });
    expect(rig.health('oi')?.refused).toBeGreaterThanOrEqual(3);
    expect(rig.warnings.filter(({ message }) => message === 'answer refused')).toHaveLength(1);
  });

  test('of most keys turns the source, which then asks less, and good answers turn it back', async () => {
    await startAll(5, { lookups: [fakeLookup({ keys: () => many(5), everyMs: 5_000 })] });
    answers = { '*': '400', C0: 1 };
    await rig.passUntil(() => rig.health('oi')?.status === 'changed', 15_000);
    expect(rig.health('oi')?.error).toBe('The venue answered HTTP 400.');
    answers = {};
    await rig.passUntil(() => rig.health('oi')?.status === 'ok', 60_000, 500);
  });

  test('of the only key shows that the source never worked', async () => {
    await start({ lookups: [fakeLookup({ keys: () => ['BTC'] })] });
    answers = { '*': '404' };
    await rig.passUntil(() => rig.health('oi')?.status === 'changed', 2_000);
  });

  test('of the venue stops all keys, and they are caught up when it is over', async () => {
    await startAll(20);
    const good = rig.snapshot();
    answers = { '*': '503' };
    await rig.passUntil(() => rig.health('oi')?.status === 'down', 30_000);
    const before = rig.venue.asked.length;
    await rig.pass(4 * EVERY_MS, 1_000);
    expect(rig.venue.asked.length - before).toBeLessThan(30);
    expect(rig.snapshot()).toBe(good);
    answers = { '*': 2 };
    await rig.passUntil(() => rig.health('oi')?.status === 'ok', 60_000, 500);
    await rig.passUntil(() => Object.values(rowsBy()).filter((count) => count === 2).length === 20, 3_000);
  });

  test('with a request that always fails does not keep the other keys from their turns', async () => {
    await start({ lookups: [fakeLookup({ keys: () => many(6), everyMs: 6_000 })] });
    answers = { C2: '500' };
    await rig.passUntil(() => Object.keys(rowsBy()).length === 5, 20_000);
    rig.venue.asked.length = 0;
    await rig.pass(60_000, 500);
    for (const key of ['C0', 'C1', 'C3', 'C4', 'C5'])
      expect(rig.venue.asked.filter((path) => path === `/oi/${key}`).length).toBeGreaterThanOrEqual(7);
    expect(rig.venue.asked.filter((path) => path === '/oi/C2').length).toBeLessThanOrEqual(12);
    expect(rig.health('oi')?.status).toBe('ok');
  });

  test('with a limit silences them for as long as the venue asks', async () => {
    await startAll(20, { lookups: [fakeLookup({ keys: () => many(20), everyMs: 10_000 })] });
    rig.venue.answer = (_, response) => void response.writeHead(429, { 'retry-after': '30' }).end();
    await rig.passUntil(() => rig.health('oi')?.status === 'limited', 3_000);
    await quiet(50);
    const before = rig.venue.asked.length;
    await rig.pass(28_000, 500);
    expect(rig.venue.asked).toHaveLength(before);
  });

  test('of requests that were under way together is one failure', async () => {
    await start({ lookups: [lookupOnDemand] });
    rig.want(['A']);
    await vi.waitFor(() => expect(rowsBy()).toEqual({ A: 1 }));
    answers = { '*': '500' };
    rig.want(['B', 'C', 'D', 'E']);
    await vi.waitFor(() => expect(rig.venue.asked).toHaveLength(5));
    await quiet(50);
    answers = {};
    await rig.passUntil(() => Object.keys(rowsBy()).length === 5, 3_000);
    expect(rig.health('oi')?.status).toBe('ok');
    expect(rig.warnings).toEqual([]);
  });

  test('with one request alone is no news', async () => {
    await startAll(20, { lookups: [fakeLookup({ keys: () => many(20), everyMs: 20_000 })] });
    answers = { '*': '500' };
    const before = rig.venue.asked.length;
    await rig.passUntil(() => rig.venue.asked.length === before + 1, 3_000, 50);
    answers = {};
    await rig.pass(5_000, 500);
    expect(rig.health('oi')?.status).toBe('ok');
  });

  test('that the venue stops answering makes the source stale', async () => {
    await startAll(3, { lookups: [fakeLookup({ everyMs: 2_000 })] }).catch(() => undefined);
    rig.venue.answer = () => {};
    await rig.passUntil(() => rig.health('oi')?.status === 'stale', 8_000);
    expect(rig.health('oi')?.error).toBe('Its newest answer is more than 6 s old.');
  });
});

describe('keys on demand', () => {
  test('are neither requested nor reported as down before there is demand', async () => {
    await start({ lookups: [lookupOnDemand] });
    await rig.pass(60_000, 5_000);
    expect(rig.venue.asked).toEqual([]);
    expect(rig.health('oi')).toBeUndefined();
    rig.want(['NONE']);
    await rig.pass(5_000, 1_000);
    expect(rig.health('oi')).toBeUndefined();
  });

  test('are fetched at once and published together', async () => {
    await start({ lookups: [lookupOnDemand] });
    let publications = 0;
    rig.bus.subscribe(snapshotTopic('fake', 'openInterest'), () => (publications += 1));
    rig.want(many(20));
    rig.want(many(20));
    await vi.waitFor(() => expect(rig.snapshot()?.rows).toHaveLength(20));
    expect(publications).toBe(1);
    expect(rig.venue.asked).toHaveLength(20);
  });

  test('join the warm ones, and are not polled any more without demand', async () => {
    await start({ lookups: [lookupOnDemand] });
    rig.want(['A']);
    await vi.waitFor(() => expect(rowsBy()).toEqual({ A: 1 }));
    await rig.pass(40_000, 1_000);
    expect(rig.venue.asked.length).toBeGreaterThanOrEqual(4);
    rig.want(['B']);
    await rig.passUntil(() => 'B' in rowsBy(), 1_500);
    await rig.pass(100_000, 1_000);
    const { length } = rig.venue.asked;
    expect(rig.health('oi')?.status).toBe('ok');
    await rig.pass(100_000, 5_000);
    expect(rig.venue.asked).toHaveLength(length);
    expect(rig.health('oi')?.status).toBe('ok');
  });

  describe('of many absent keys', () => {
    const lookup = fakeLookup({
      ...lookupOnDemand,
      everyMs: 5_000,
      isAbsent: ({ openInterest = [] }) => openInterest.every(({ contracts }) => contracts === 0),
    });
    const slow = { lookups: [lookup], limits: { weightPerMinute: 600, weightAtOnce: 10 } };
    const timesAsked = (key: string): number => rig.venue.asked.filter((url) => keyOf(url) === key).length;

    test('are requested once, and again on demand after the answer has become old', async () => {
      await start({ lookups: [lookup] });
      answers = { GONE: 0 };
      rig.want(['GONE']);
      await vi.waitFor(() => expect(rowsBy()).toEqual({ GONE: 0 }));
      await rig.pass(14_000, 1_000);
      rig.want(['GONE']);
      await rig.pass(10_000, 1_000);
      expect(timesAsked('GONE')).toBe(1);
      rig.want(['GONE']);
      await vi.waitFor(() => expect(timesAsked('GONE')).toBe(2));
    });

    test('do not delay one that is listed', async () => {
      await start(slow);
      answers = { LISTED: 7, '*': 0 };
      rig.want(many(500));
      await rig.pass(1_000, 100);
      rig.want(['LISTED']);
      await rig.passUntil(() => rowsBy()['LISTED'] === 7, 2_500);
    });

    test('do not let those that are warm go cold, however many there are', async () => {
      await start(slow);
      answers = { LISTED: 7, '*': 0 };
      rig.want(['LISTED']);
      await vi.waitFor(() => expect(rowsBy()).toEqual({ LISTED: 7 }));
      for (let second = 0; second < 30; second += 1) {
        rig.want(['LISTED', ...many(30).map((key) => `${key}-${second}`)]);
        await rig.pass(1_000, 200);
        expect(rowsBy()['LISTED']).toBe(7);
      }
      expect(timesAsked('LISTED')).toBeGreaterThanOrEqual(3);
    });
  });

  test('are no more than a thousand: the oldest are forgotten', async () => {
    let most: readonly string[] = [];
    const lookup = fakeLookup({
      ...lookupOnDemand,
      keys: (_, asked) => {
        most = asked;
        return [];
      },
    });
    await start({ lookups: [lookup] });
    rig.want(['OLD', 'C0']);
    rig.want(many(1_000));
    expect(most).toHaveLength(1_000);
    expect(most).not.toContain('OLD');
    expect(most).toContain('C0');
  });
});

test('stops at once, with requests and turns under way', async () => {
  await start({ lookups: [fakeLookup({ keys: () => many(50), perMinute: 8 })] });
  rig.venue.answer = () => {};
  await rig.pass(1_000, 100);
  await rig.engine.stop();
  const { length } = rig.venue.asked;
  await rig.pass(120_000, 10_000);
  expect(rig.venue.asked).toHaveLength(length);
});

import { HOUR_MS, MINUTE_MS } from '@crosstape/core';
import { Malformed, type Refill } from '@crosstape/venues';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { healthTopic } from '../topics.ts';
import { fakeFeed } from './testing/fake-venue.ts';
import { type Rig, startRig } from './testing/rig.ts';

const ROWS_MAX = 3;

/** `/past/BTC?before=5` is answered with the times of liquidations, newest first, at most three. */
const refill: Refill = {
  name: 'past',
  weight: 1,
  reachMs: HOUR_MS,
  keys: () => coins,
  request: (key) => ({ method: 'GET', path: `/past/${key}` }),
  parse(body, _receivedAtMs, _known, coin) {
    if (!Array.isArray(body)) throw new Malformed('no times');
    const liquidations = (body as number[]).map((venueTs) => ({
      coin,
      symbol: coin,
      side: 'sell' as const,
      price: 1,
      size: 1,
      venueTs,
    }));
    const frame = { kind: 'liquidations', liquidations, isBackfill: true } as const;
    const [newestMs] = body as number[];
    const newest = newestMs === undefined ? {} : { newestMs };
    const sinceMs = (body as number[])[ROWS_MAX - 1];
    if (sinceMs === undefined) return { frame, ...newest, sinceMs: 0 };
    const more = { method: 'GET', path: `/past/${coin}?before=${sinceMs}` } as const;
    return { frame, ...newest, sinceMs, more };
  },
};

let rig: Rig;
/** The venue's liquidations, by coin. */
let past: Record<string, number[]>;
let isBroken: (path: string) => boolean;
let coins: readonly string[];
/** Rows are in answers this long after they happened; each coin has one that happens just then, unless `isQuiet`. */
let lagMs: number;
let isQuiet: (coin: string) => boolean;

beforeEach(async () => {
  past = { BTC: [], ETH: [1_000] };
  coins = ['BTC', 'ETH'];
  isBroken = () => false;
  lagMs = 0;
  isQuiet = () => false;
  const { silentMaxMs: _, ...feed } = fakeFeed({ name: 'liquidations', refill });
  rig = await startRig({ feeds: [feed], coins: ['BTC', 'ETH'] });
  rig.venue.answer = (request, response) => {
    const url = new URL(request.url ?? '', 'http://fake');
    if (isBroken(request.url ?? '')) {
      response.writeHead(500).end();
      return;
    }
    const before = Number(url.searchParams.get('before') ?? Number.POSITIVE_INFINITY);
    const coin = url.pathname.slice('/past/'.length);
    // Within a gap or not, it is not taken for one of those that are expected.
    const newestMs = rig.clock.now() - lagMs + 1;
    const times = [...(past[coin] ?? []), ...(isQuiet(coin) ? [] : [newestMs])];
    const rows = times.filter((ts) => ts < before && ts <= newestMs).toSorted((a, b) => b - a);
    response.end(JSON.stringify(rows.slice(0, ROWS_MAX)));
  };
});
afterEach(() => rig.stop());

const times = (): number[] =>
  rig.refilled.flatMap(({ frame }) =>
    frame.kind === 'liquidations' ? frame.liquidations.map(({ venueTs }) => venueTs) : [],
  );

async function bridgeFirst(): Promise<void> {
  await rig.passUntil(() => rig.bridged.length === 1, 20_000, 500);
}

/** Cuts the socket; returns the resulting gap. */
async function cut(forMs: number): Promise<{ fromMs: number; toMs: number }> {
  rig.venue.intercept = (_request, stream) => stream.destroy();
  rig.venue.sockets[0]?.terminate();
  await rig.passUntil(() => rig.feedChanges.at(-1)?.kind === 'down', 2_000, 50);
  const fromMs = rig.feedChanges.at(-1)?.lastReceivedMs ?? 0;
  await rig.pass(forMs, 1_000);
  rig.venue.intercept = undefined;
  await rig.passUntil(() => rig.feedChanges.at(-1)?.kind === 'up', 60_000, 500);
  return { fromMs, toMs: rig.feedChanges.at(-1)?.atMs ?? 0 };
}

test('asks at the start for everything that the venue still serves', async () => {
  const startMs = rig.clock.now();
  past = { BTC: [startMs - 2 * HOUR_MS, startMs - 60_000], ETH: [startMs - 30_000] };
  await bridgeFirst();
  const upMs = rig.feedChanges[0]?.atMs ?? 0;
  expect(times()).toEqual([startMs - 60_000, startMs - 30_000]);
  expect(rig.bridged).toMatchObject([
    { venue: 'fake', feed: 'liquidations', fromMs: upMs - HOUR_MS, toMs: upMs },
  ]);
  await rig.passUntil(() => rig.health('past')?.messages === 2, 10_000, 500);
  expect(rig.health('past')).toMatchObject({ status: 'ok', gives: [] });
});

test('asks for what was missed when the feed is up again, page by page, and then calls the gap bridged', async () => {
  await bridgeFirst();
  const lastReceivedMs = rig.clock.now();
  // The newest of them happened before the cut, and was received.
  past.ETH = [lastReceivedMs - 600_000];
  past.BTC = [1, 2, 3, 4, 5, 6, 7].map((second) => lastReceivedMs + second * 1_000);
  rig.venue.asked.length = 0;
  const gap = await cut(30_000);
  await rig.passUntil(() => rig.bridged.length === 2, 20_000, 500);
  expect(times().toSorted((a, b) => a - b)).toEqual(past.BTC);
  expect(rig.bridged[1]).toMatchObject(gap);
  expect(rig.venue.asked.filter((path) => path.startsWith('/past/BTC'))).toHaveLength(3);
});

test('does not call a gap bridged when every answer is empty: the venue may not serve history', async () => {
  past = { BTC: [], ETH: [] };
  isQuiet = () => true;
  await rig.passUntil(() => rig.health('past')?.status === 'changed', 20_000, 500);
  expect(rig.health('past')?.error).toBe('It reports no liquidation at all.');
  await rig.pass(60_000, 1_000);
  expect(rig.bridged).toEqual([]);
  expect(rig.venue.asked.filter((path) => path.startsWith('/past/'))).toHaveLength(2);
});

describe('a gap stays a gap', () => {
  beforeEach(bridgeFirst);

  test('when one of the answers fails while the venue still serves it, though received rows are published', async () => {
    isBroken = (path) => path.startsWith('/past/ETH');
    const missedMs = rig.clock.now() + 2_000;
    past.BTC = [missedMs];
    await cut(5_000);
    await rig.passUntil(
      () => rig.warnings.some(({ message }) => /the gap stays/.test(message)),
      2 * HOUR_MS,
      15_000,
    );
    expect(new Set(times())).toEqual(new Set([missedMs]));
    expect(rig.bridged).toHaveLength(1);
    expect(rig.health('past')).toMatchObject({ status: 'down' });
    expect(rig.venue.asked.filter((path) => path.startsWith('/past/ETH')).length).toBeLessThanOrEqual(31);
  });

  test('when the venue keeps sending the same page', async () => {
    const missedMs = rig.clock.now() + 2_000;
    past.BTC = [missedMs, missedMs, missedMs, missedMs];
    rig.venue.answer = (_request, response) => void response.end(JSON.stringify(past.BTC?.slice(0, 3)));
    await cut(5_000);
    await rig.passUntil(
      () => rig.warnings.some(({ message }) => /the gap stays/.test(message)),
      600_000,
      5_000,
    );
    expect(rig.bridged).toHaveLength(1);
    expect(rig.health('past')).toMatchObject({
      status: 'changed',
      error: 'Its answers for BTC do not reach back far enough.',
    });
  });
});

test('that one key does not reach back costs no other, and is not requested again', async () => {
  await bridgeFirst();
  const missedMs = rig.clock.now() + 2_000;
  past.BTC = Array.from({ length: 3 * 200 + 3 }, (_, i) => missedMs + i);
  past.ETH = [missedMs];
  rig.venue.asked.length = 0;
  await cut(5_000);
  await rig.passUntil(() => rig.warnings.some(({ message }) => /the gap stays/.test(message)), 60_000, 1_000);
  expect(rig.health('past')).toMatchObject({
    status: 'changed',
    error: 'Its answers for BTC do not reach back far enough.',
  });
  // One of the 600 rows of BTC is the newest, after the gap.
  expect(times()).toHaveLength(3 * 200 - 1 + 1);
  expect(rig.venue.asked.filter((path) => path.startsWith('/past/BTC'))).toHaveLength(200);
  expect(rig.venue.asked.filter((path) => path.startsWith('/past/ETH'))).toHaveLength(1);
  expect(rig.bridged).toHaveLength(1);
});

test('a venue that sends a little more each time is not given up', async () => {
  await bridgeFirst();
  rig.venue.asked.length = 0;
  // Every second request fails, of more keys than failures are borne in a row.
  coins = Array.from({ length: 8 }, (_, i) => `C${i}`);
  past = { C0: [1_000] };
  isBroken = () => rig.venue.asked.filter((path) => path.startsWith('/past/')).length % 2 === 0;
  await cut(5_000);
  await rig.passUntil(() => rig.bridged.length === 2, 600_000, 5_000);
  expect(rig.warnings.filter(({ message }) => /the gap stays/.test(message))).toEqual([]);
});

test('is ok from the next good answer on, and requests a gap again that could not be requested', async () => {
  await bridgeFirst();
  isBroken = () => true;
  const gap = await cut(5_000);
  await rig.passUntil(() => rig.health('past')?.status === 'down', 20_000, 500);
  await rig.pass(5 * 60_000, 5_000);
  isBroken = (path) => path.startsWith('/past/ETH');
  const seen: unknown[] = [];
  rig.bus.subscribe(healthTopic('fake'), (list) =>
    seen.push(list.find(({ source }) => source === 'fake:past')?.status),
  );
  const lastGoodMs = rig.health('past')?.lastGoodMs;
  await rig.passUntil(() => rig.health('past')?.lastGoodMs !== lastGoodMs, 11 * 60_000, 500);
  expect(seen).toContain('ok');
  isBroken = () => false;
  await rig.passUntil(() => rig.bridged.length === 2, 60_000, 1_000);
  expect(rig.bridged[1]).toMatchObject(gap);
});

test('is tried again after a failure, and asks only for what is not there yet', async () => {
  await bridgeFirst();
  rig.venue.asked.length = 0;
  isBroken = (path) => path.startsWith('/past/ETH') && rig.venue.asked.length < 3;
  await cut(5_000);
  await rig.passUntil(() => rig.bridged.length === 2, 120_000, 1_000);
  expect(rig.venue.asked).toEqual(['/past/BTC', '/past/ETH', '/past/ETH']);
});

describe('a past that lags behind the feed', () => {
  const asked = (): readonly string[] => rig.venue.asked.filter((path) => path.startsWith('/past/'));
  /** Counted from the first answer. */
  async function passTo(minutes: number, gap: { readonly toMs: number }): Promise<void> {
    await rig.pass(gap.toMs + 10_000 + minutes * MINUTE_MS - rig.clock.now(), 10_000);
  }

  beforeEach(async () => {
    await bridgeFirst();
    await rig.pass(10 * MINUTE_MS, 10_000);
    rig.bridged.length = 0;
    rig.refilled.length = 0;
    rig.venue.asked.length = 0;
  });

  test('bridges nothing before it has passed the gap, and is asked again after 30 minutes and after 2 hours', async () => {
    lagMs = 69 * MINUTE_MS;
    const missedMs = rig.clock.now() + 2_000;
    past.BTC = [missedMs];
    const gap = await cut(5_000);
    await passTo(0, gap);
    expect(asked()).toEqual(['/past/BTC', '/past/ETH']);
    await passTo(31, gap);
    expect(asked()).toHaveLength(4);
    expect(times()).toEqual([]);
    expect(rig.bridged).toEqual([]);
    await passTo(121, gap);
    expect(asked()).toHaveLength(6);
    expect(times()).toEqual([missedMs]);
    expect(rig.bridged).toMatchObject([gap]);
    await passTo(240, gap);
    expect(asked()).toHaveLength(6);
  });

  test('bridges a gap up to the newest row that all keys have passed', async () => {
    lagMs = 20 * MINUTE_MS;
    const gap = await cut(30 * MINUTE_MS);
    await passTo(0, gap);
    expect(rig.bridged).toMatchObject([{ fromMs: gap.fromMs }]);
    const reachedMs = rig.bridged[0]?.toMs ?? 0;
    expect(gap.toMs - reachedMs).toBeGreaterThan(19 * MINUTE_MS);
    expect(gap.toMs - reachedMs).toBeLessThan(20 * MINUTE_MS);
    await passTo(31, gap);
    expect(rig.bridged).toMatchObject([{}, { fromMs: reachedMs, toMs: gap.toMs }]);
  });

  test('takes a key without a newer row for complete at the second answer, when others have passed the gap', async () => {
    isQuiet = (coin) => coin === 'ETH';
    const gap = await cut(5_000);
    await passTo(1, gap);
    expect(rig.bridged).toEqual([]);
    rig.venue.asked.length = 0;
    await passTo(31, gap);
    expect(asked()).toEqual(['/past/ETH']);
    expect(rig.bridged).toMatchObject([gap]);
  });

  test('takes keys without any newer row for complete at the last answer', async () => {
    isQuiet = () => true;
    const gap = await cut(5_000);
    await passTo(31, gap);
    expect(rig.bridged).toEqual([]);
    await passTo(121, gap);
    expect(rig.bridged).toMatchObject([gap]);
  });

  test('asks again for a key that was requested before another showed that the gap is passed', async () => {
    lagMs = 69 * MINUTE_MS;
    isQuiet = (coin) => coin === 'ETH';
    const gap = await cut(5_000);
    await passTo(31, gap);
    // BTC had the newest row so far, so it is requested first; now ETH has.
    isQuiet = (coin) => coin === 'BTC';
    past.BTC = [gap.toMs - 1];
    rig.venue.asked.length = 0;
    await passTo(121, gap);
    expect(asked()).toEqual(['/past/BTC', '/past/ETH', '/past/BTC']);
    expect(rig.bridged).toMatchObject([gap]);
  });

  test('leaves what it has not passed by the last answer', async () => {
    lagMs = 150 * MINUTE_MS;
    const gap = await cut(60 * MINUTE_MS);
    await passTo(121, gap);
    const [bridged] = rig.bridged;
    expect(bridged?.toMs).toBeLessThan(gap.toMs);
    expect(rig.warnings.at(-1)).toMatchObject({ fields: { fromMs: bridged?.toMs, toMs: gap.toMs } });
  });

  test('requests a later gap while an earlier one waits', async () => {
    lagMs = 69 * MINUTE_MS;
    const first = await cut(5_000);
    await passTo(10, first);
    const second = await cut(5_000);
    await passTo(1, second);
    expect(asked()).toHaveLength(4);
    await passTo(121, second);
    expect(rig.bridged).toMatchObject([first, second]);
  });
});

test('makes one gap of those that come while another is refilled', async () => {
  await bridgeFirst();
  isBroken = () => true;
  const first = await cut(5_000);
  await rig.pass(6_000, 500);
  const second = await cut(5_000);
  const third = await cut(5_000);
  isBroken = () => false;
  await rig.passUntil(() => rig.bridged.length === 3, 300_000, 1_000);
  expect(rig.bridged[1]).toMatchObject(first);
  expect(rig.bridged[2]).toMatchObject({ fromMs: second.fromMs, toMs: third.toMs });
});

test('asks for nothing more once the engine has stopped', async () => {
  await bridgeFirst();
  await cut(5_000);
  await rig.engine.stop();
  rig.venue.asked.length = 0;
  await rig.pass(60_000, 5_000);
  await vi.waitFor(() => expect(rig.venue.asked).toEqual([]));
  expect(rig.bridged).toHaveLength(1);
});

import { DAY_MS, HOUR_MS, ManualClock, MINUTE_MS, seededRandom, valuationMetrics } from '@crosstape/core';
import { type Connector, onchainPublishers } from '@crosstape/venues';
import { describe, expect, test, vi } from 'vitest';
import { demandTopic } from '../topics.ts';
import type { KeptAnswer, KeptAnswers } from './kept-answer.ts';
import { PollHealth } from './poll-health.ts';
import { SourceFailure } from './source-failure.ts';
import type { FakeVenue } from './testing/fake-venue.ts';
import { quiet, startRig } from './testing/rig.ts';
import { VenueGate } from './venue-gate.ts';
import type { SourceMeter } from './venue-health.ts';

const START_MS = Date.UTC(2026, 0, 1);
/** Limit of the valuation publisher without a key. */
const HOURLY_MAX = 8;
const DAILY_MAX = 15;

const connectorOf = (wanted: string): Connector => {
  const connector = onchainPublishers.find(({ id }) => id === wanted)?.connector;
  if (!connector) throw new Error(`no connector of ${wanted}`);
  return connector;
};
const { resources, limits } = connectorOf('bitcoindata');

/** The most that falls into any stretch of time of a length. */
function mostWithin(timesMs: readonly number[], lengthMs: number): number {
  return Math.max(
    ...timesMs.map((fromMs) => timesMs.filter((ms) => ms >= fromMs && ms < fromMs + lengthMs).length),
  );
}

const fails: FakeVenue['answer'] = (_, response) => void response.writeHead(500).end();
const limitsUs: FakeVenue['answer'] = (_, response) => void response.writeHead(429).end();
let turn = 0;
/** Alternates between failures and good answers. */
const wavers: FakeVenue['answer'] = (request, response) => {
  turn += 1;
  if (turn % 3 !== 0) return fails(request, response);
  good(response);
};

function good(response: Parameters<FakeVenue['answer']>[1]): void {
  const value = { mvrvZscore: 1, nupl: 1, puellMultiple: 1, reserveRisk: 1, realizedCap: 1 };
  response.end(JSON.stringify({ d: '2026-01-01', ...value }));
}

test.each<[string, FakeVenue['answer'], number]>([
  ['fails all the time', fails, 3 * DAY_MS],
  ['fails all the time, and we restart every hour', fails, HOUR_MS],
  ['limits us all the time', limitsUs, 3 * DAY_MS],
  ['fails now and then', wavers, 3 * DAY_MS],
  ['fails now and then, and we restart every five hours', wavers, 5 * HOUR_MS],
])('a publisher with a small quota that %s is asked within its quota', async (_, answer, runMs) => {
  const kept = new Map<string, KeptAnswer>();
  const store: KeptAnswers = {
    get: (source) => kept.get(source),
    put: (source, one) => kept.set(source, one),
  };
  const asked: { readonly path: string; readonly ms: number }[] = [];
  let startMs = START_MS;
  while (startMs < START_MS + 3 * DAY_MS) {
    const rig = await startRig({ resources, kept: store, startMs, limits });
    rig.venue.answer = (request, response) => {
      asked.push({ path: request.url ?? '', ms: rig.clock.now() });
      answer(request, response);
    };
    for (const table of valuationMetrics) rig.bus.publish(demandTopic, { venue: 'fake', table });
    await rig.pass(runMs, 600_000);
    await rig.stop();
    startMs = rig.clock.now();
  }
  for (const { request } of resources) {
    const ownMs = asked.filter(({ path }) => path === request.path).map(({ ms }) => ms);
    expect(ownMs.length).toBeGreaterThan(2);
    // Without data to serve, it is requested again once the same morning.
    const [firstMs = 0, secondMs = 0] = ownMs;
    if (answer !== wavers && runMs > DAY_MS) expect(secondMs - firstMs).toBeLessThan(4 * HOUR_MS);
    expect(mostWithin(ownMs, DAY_MS)).toBeLessThanOrEqual(DAILY_MAX / resources.length);
  }
  const askedMs = asked.map(({ ms }) => ms);
  expect(mostWithin(askedMs, HOUR_MS)).toBeLessThanOrEqual(HOURLY_MAX);
  expect(mostWithin(askedMs, DAY_MS)).toBeLessThanOrEqual(DAILY_MAX);
});

describe('at the start', () => {
  const WAIT = { timeout: 60_000, interval: 20 };

  /** Answered one after the other while the clock does not advance. */
  const start = async (answer: FakeVenue['answer']) => {
    const kept = new Map<string, KeptAnswer>();
    const store: KeptAnswers = {
      get: (source) => kept.get(source),
      put: (source, one) => kept.set(source, one),
    };
    let answered = 0;
    const prepare = (venue: FakeVenue): void => {
      venue.answer = answer;
    };
    const put: KeptAnswers['put'] = (source, one) => {
      answered += 1;
      return store.put(source, one);
    };
    const options = { resources, kept: { ...store, put }, startMs: START_MS, prepare };
    const rig = await startRig({ ...options, limits });
    for (const table of valuationMetrics) rig.bus.publish(demandTopic, { venue: 'fake', table });
    const pass = async (ms: number, untilAnswered: number): Promise<void> => {
      rig.clock.advance(ms);
      await vi.waitUntil(() => answered >= untilAnswered, WAIT);
      await quiet();
      expect(answered).toBe(untilAnswered);
    };
    return { rig, pass };
  };

  test('a metric whose first request fails is asked again within a minute, and served', async () => {
    let failures = 0;
    const { rig, pass } = await start((request, response) => {
      if (!request.url?.includes('nupl') || failures === 1) return good(response);
      failures += 1;
      fails(request, response);
    });
    try {
      await pass(1, 5);
      expect(rig.health('nupl')?.status).toBe('down');
      await pass(MINUTE_MS, 6);
      expect(rig.health('nupl')?.status).toBe('ok');
      await pass(2 * HOUR_MS, 6);
    } finally {
      await rig.stop();
    }
  });

  test('when all fail, three are asked again within a minute, and each three times a day', () => {
    const clock = new ManualClock(START_MS);
    const random = seededRandom(1);
    const gate = new VenueGate({ connector: connectorOf('bitcoindata'), clock, random });
    const meter = { turn: () => {} } as unknown as SourceMeter;
    const waits = (status: 'down' | 'limited', failures: number): number[] =>
      resources.map((resource) =>
        new PollHealth({ ...resource, meter, clock, random }).failed(new SourceFailure(status, 'No.'), {
          failures,
          takeRetry: () => gate.takeFirstRetry(),
        }),
      );
    for (const ms of waits('limited', 1)) expect(ms).toBeGreaterThanOrEqual(1.5 * HOUR_MS);
    const [first, later] = [waits('down', 1), waits('down', 2)];
    expect(first.filter((ms) => ms <= MINUTE_MS)).toHaveLength(HOURLY_MAX - resources.length);
    for (const ms of [...first.slice(HOURLY_MAX - resources.length), ...later]) {
      expect(ms).toBeGreaterThanOrEqual(1.5 * HOUR_MS);
      expect(ms).toBeLessThanOrEqual(3 * HOUR_MS);
    }
    expect(waits('down', 3)).toEqual(resources.map(() => DAY_MS));
  });
});

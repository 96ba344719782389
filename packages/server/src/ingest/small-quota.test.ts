import { valuationMetrics } from '@crosstape/core';
import { onchainPublishers } from '@crosstape/venues';
import { expect, test } from 'vitest';
import { demandTopic } from '../topics.ts';
import type { KeptAnswer, KeptAnswers } from './kept-answer.ts';
import type { FakeVenue } from './testing/fake-venue.ts';
import { startRig } from './testing/rig.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START_MS = Date.UTC(2026, 0, 1);
/** What the publisher of valuations allows without a key. */
const HOURLY_MAX = 8;
const DAILY_MAX = 15;

const { resources = [], limits } = onchainPublishers.find(({ id }) => id === 'bitcoindata')?.connector ?? {};

/** The most that falls into any stretch of time of a length. */
function mostWithin(timesMs: readonly number[], lengthMs: number): number {
  return Math.max(
    ...timesMs.map((fromMs) => timesMs.filter((ms) => ms >= fromMs && ms < fromMs + lengthMs).length),
  );
}

const fails: FakeVenue['answer'] = (_, response) => void response.writeHead(500).end();
const limitsUs: FakeVenue['answer'] = (_, response) => void response.writeHead(429).end();
let turn = 0;
/** Now a failure, now an answer that is good for whatever was asked. */
const wavers: FakeVenue['answer'] = (request, response) => {
  turn += 1;
  if (turn % 3 !== 0) return fails(request, response);
  const value = { mvrvZscore: 1, nupl: 1, puellMultiple: 1, reserveRisk: 1, realizedCap: 1 };
  response.end(JSON.stringify({ d: '2026-01-01', ...value }));
};

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
    const rig = await startRig({ resources, kept: store, startMs, ...(limits && { limits }) });
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
    // Where there is nothing to serve yet, it is asked again the same morning, once.
    const [firstMs = 0, secondMs = 0] = ownMs;
    if (answer !== wavers && runMs > DAY_MS) expect(secondMs - firstMs).toBeLessThan(4 * HOUR_MS);
    expect(mostWithin(ownMs, DAY_MS)).toBeLessThanOrEqual(DAILY_MAX / resources.length);
  }
  const askedMs = asked.map(({ ms }) => ms);
  expect(mostWithin(askedMs, HOUR_MS)).toBeLessThanOrEqual(HOURLY_MAX);
  expect(mostWithin(askedMs, DAY_MS)).toBeLessThanOrEqual(DAILY_MAX);
});

import { MINUTE_MS, type SourceHealth } from '@crosstape/core';
import { type Fault, type Simulator, startSimulator } from '@crosstape/simulator';
import { primaryVenue, venues } from '@crosstape/venues';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Body, startTestApi, type TestApi } from '../api/testing/test-api.ts';
import type { Engine } from './engine.ts';
import { quiet } from './testing/rig.ts';
import { startSimulatedEngine } from './testing/simulated-engine.ts';
import { healthTopic, usdRatesTopic } from '../topics.ts';
import { isLong } from '../../../../test/long.ts';
import { coinsOfVenues } from '../../../../test/world-coins.ts';

/** All connectors against the simulated venues, with the API over them, while the same fault strikes all but one. */

const STEP_MS = 1_000;
const struck = venues.filter(({ id }) => id !== primaryVenue.id).map(({ id }) => id);
const fed = struck.filter((id) => feedOf(id) !== undefined);
/** The requested tables and their endpoints. */
const questions = {
  openInterest: `/perps/oi?coins=BTC&venues=${venues.map(({ id }) => id).join(',')}`,
  funding: `/perps/funding?coins=BTC&venues=${venues.map(({ id }) => id).join(',')}`,
};
type Answers = Readonly<Record<keyof typeof questions, Body>>;

async function askAll(): Promise<Answers> {
  const [openInterest, funding] = [await api.get(questions.openInterest), await api.get(questions.funding)];
  return { openInterest: openInterest.body, funding: funding.body };
}

/** Faults of requests, and of sockets where possible; open sockets freeze, so that they must be reopened. */
const problems = [
  { name: 'down', status: 'down', fault: { fault: 'refuse' }, isOnSockets: true },
  { name: 'limited in the words of the venue', status: 'limited', fault: { fault: 'limit' } },
  { name: 'lying about its fields', status: 'changed', fault: { fault: 'retype' } },
  // With one venue: poller.test.ts.
  { name: 'blocked', status: 'blocked', fault: { fault: 'status', status: 451 }, isOnSockets: true },
  { name: 'rate-limited', status: 'limited', fault: { fault: 'status', status: 429 }, isOnSockets: true },
] as const;

let api: TestApi;
let simulator: Simulator;
let engine: Engine;

beforeAll(async () => {
  api = await startTestApi();
  const { clock, bus } = api;
  const sources = venues.map(({ id }) => id);
  simulator = await startSimulator({ port: 0, seed: 11, rate: 0.02, clock, coins: coinsOfVenues, sources });
  engine = startSimulatedEngine({ url: simulator.url, venues, bus, clock });
  // Spot venues do not run here: without rates every answer would name their sources.
  const rate = { rate: 1, asOfMs: clock.now(), isStale: false, venues: ['kraken'] };
  bus.publish(usdRatesTopic, { atMs: clock.now(), rates: { USDT: rate, USDC: rate }, failing: {} });
  await passUntil(isWell, 5 * MINUTE_MS);
});
afterAll(async () => {
  await engine.stop();
  await simulator.close();
  await api.close();
});

function feedOf(id: string): string | undefined {
  const feeds = venues.find((venue) => venue.id === id)?.connector?.feeds ?? [];
  return feeds.find(({ name }) => name === 'liquidations') && `${id}:liquidations`;
}

function healthOf(id: string): readonly SourceHealth[] {
  return api.bus.latest(healthTopic(id))?.message ?? [];
}

/** Whether a source of a venue's table, or its feed, is doing so. */
function isDoing(id: string, gives: string, status: string): boolean {
  return healthOf(id).some((source) => source.gives.includes(gives) && source.status === status);
}

/** What an answer reports about the sources of a venue. */
function sourcesOf({ meta }: Body, id: string): readonly { readonly status: string }[] {
  const sources = (meta['sources'] ?? []) as { source: string; status: string }[];
  return sources.filter(({ source }) => source === id || source.startsWith(`${id}:`));
}

function isWell(): boolean {
  return struck.every((id) => healthOf(id).length > 1 && healthOf(id).every(({ status }) => status === 'ok'));
}

/** Until the condition is met, or the time is up. */
async function passUntil(holds: () => boolean, maxMs: number): Promise<void> {
  for (let passedMs = 0; passedMs < maxMs && !holds(); passedMs += STEP_MS) {
    api.clock.advance(STEP_MS);
    await quiet(10);
  }
}

describe.each(problems.slice(0, isLong ? problems.length : 3))(
  'while it is $name',
  ({ status, fault, ...problem }) => {
    const isOnSockets = 'isOnSockets' in problem;
    let disconnected: readonly string[];
    let reported: Answers;
    let after: Answers;

    beforeAll(async () => {
      for (const venue of struck) {
        simulator.faults.add({ venue, part: 'rest', ...fault } as Fault);
        if (isOnSockets) simulator.faults.add({ venue, part: 'ws', ...fault } as Fault);
        if (isOnSockets) simulator.faults.add({ venue, part: 'ws', fault: 'freeze' });
      }
      const disconnectedFeeds = (): readonly string[] =>
        fed.filter((id) => isDoing(id, 'liquidations', status));
      await passUntil(
        () =>
          struck.every((id) => isDoing(id, 'openInterest', status) && isDoing(id, 'funding', status)) &&
          (!isOnSockets || disconnectedFeeds().length === fed.length),
        6 * MINUTE_MS,
      );
      reported = await askAll();
      disconnected = disconnectedFeeds();
      simulator.faults.clear();
      await passUntil(isWell, 20 * MINUTE_MS);
      after = await askAll();
      // Some venues are polled one contract at a time: they are healthy before each of these is fresh again.
      const isNamed = (): boolean => Object.values(after).some(({ meta }) => 'sources' in meta);
      for (let seconds = 0; seconds < 90 && isNamed(); seconds += 1) {
        await passUntil(() => false, 1_000);
        after = await askAll();
      }
    });

    it.each(struck)('%s is labelled, and the others are not', (id) => {
      for (const answer of Object.values(reported)) {
        expect(sourcesOf(answer, id)).toContainEqual(expect.objectContaining({ status }));
        expect(sourcesOf(answer, primaryVenue.id)).toEqual([]);
      }
    });

    it.each(isOnSockets ? fed : [])('the liquidations of %s do not count as connected', (id) => {
      expect(disconnected).toContain(id);
    });

    it('is reported by every venue again afterwards', () => {
      for (const { data, meta } of Object.values(after)) {
        expect((data as unknown[]).length).toBe(venues.length);
        expect(meta).not.toHaveProperty('sources');
      }
    });
  },
);

describe('while it lists nothing', () => {
  let reported: Body;

  beforeAll(async () => {
    for (const venue of struck) simulator.faults.add({ venue, part: 'rest', fault: 'empty' });
    await passUntil(() => struck.every((id) => isDoing(id, 'instruments', 'changed')), 11 * MINUTE_MS);
    reported = (await api.get(questions.openInterest)).body;
  });

  it.each(struck)('%s is labelled, and its coin is not called unlisted', (id) => {
    expect(isDoing(id, 'instruments', 'changed')).toBe(true);
    expect(sourcesOf(reported, id)).not.toEqual([]);
    expect(reported.meta).not.toHaveProperty('notListed');
  });
});

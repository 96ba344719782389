import { MINUTE_MS, valuationMetrics } from '@crosstape/core';
import { onchainPublishers } from '@crosstape/venues';
import { afterEach, expect, test } from 'vitest';
import { demandTopic, healthTopic, snapshotTopic } from '../topics.ts';
import type { KeptAnswer } from './kept-answer.ts';
import { type FakeVenue, fakeResource } from './testing/fake-venue.ts';
import { type Rig, startRig } from './testing/rig.ts';

/** Hourly limit of the valuation publisher without a key. */
const HOURLY_MAX = 8;
const { resources = [], limits } = onchainPublishers.find(({ id }) => id === 'bitcoindata')?.connector ?? {};

const rigs: Rig[] = [];
afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig.stop();
});

const fails: FakeVenue['answer'] = (_, response) => void response.writeHead(500).end();
const answers: FakeVenue['answer'] = (_, response) => {
  const value = { mvrvZscore: 1, nupl: 1, puellMultiple: 1, reserveRisk: 1, realizedCap: 1 };
  response.end(JSON.stringify({ d: '2026-01-01', ...value }));
};

test.each([
  // Three requests that its quota spares are repeated.
  ['fails', fails, resources.length + 3],
  ['answers', answers, resources.length],
])(
  'two engines ask a source with a small quota that %s as one would, whichever leads',
  async (_, answer, requests) => {
    const asked: string[] = [];
    const stored = new Map<string, KeptAnswer>();
    const known = new Map<string, KeptAnswer>();
    let lead = (): void => undefined;
    const gained = new Promise<void>((resolve) => {
      lead = resolve;
    });
    const takeUp = async (): Promise<void> => {
      await gained;
      for (const [source, kept] of stored) known.set(source, kept);
    };
    const start = async (memory: Map<string, KeptAnswer>, own: { readonly turn?: Promise<void> }) => {
      const kept = {
        get: (source: string) => memory.get(source),
        put: (source: string, one: KeptAnswer) => void memory.set(source, one),
      };
      const prepare = (venue: FakeVenue): void => {
        venue.answer = (request, response) => {
          asked.push(request.url ?? '');
          answer(request, response);
        };
      };
      const rig = await startRig({ resources, kept, prepare, ...(limits && { limits }), ...own });
      rigs.push(rig);
      return rig;
    };
    const leader = await start(stored, {});
    const standby = await start(known, { turn: takeUp() });
    /** Demand is renewed repeatedly, and both receive it. */
    const passHalfAnHour = async (): Promise<void> => {
      for (let minutes = 0; minutes < 30; minutes += 5) {
        for (const { bus } of rigs)
          for (const table of valuationMetrics) bus.publish(demandTopic, { venue: 'fake', table });
        for (const rig of rigs) await rig.pass(5 * MINUTE_MS, MINUTE_MS);
      }
    };
    await passHalfAnHour();
    expect(asked).toHaveLength(requests);
    expect(standby.bus.latest(healthTopic('fake'))).toBeUndefined();

    lead();
    await leader.engine.stop();
    rigs.splice(rigs.indexOf(leader), 1);
    await passHalfAnHour();
    await leader.stop();
    expect(asked.length).toBeLessThanOrEqual(HOURLY_MAX);
    const topic = snapshotTopic('fake', 'nupl');
    expect(standby.bus.latest(topic)?.message).toEqual(leader.bus.latest(topic)?.message);
    expect(standby.bus.latest(healthTopic('fake'))?.message.map(({ status }) => status)).toEqual(
      leader.bus.latest(healthTopic('fake'))?.message.map(({ status }) => status),
    );
  },
);

test('an engine that waits for its turn asks what others depend on, and what is generous', async () => {
  const list = fakeResource({
    name: 'list',
    gives: ['instruments'],
    retryMs: 5_000,
    request: { method: 'GET', path: '/list' },
    parse: () => ({ instruments: [{ coin: 'A', symbol: 'A' }] }),
  });
  const rarely = fakeResource({
    name: 'rarely',
    gives: ['prices'],
    retryMs: 5_000,
    request: { method: 'GET', path: '/rarely' },
    parse: () => ({ prices: [] }),
  });
  let lead = (): void => undefined;
  const turn = new Promise<void>((resolve) => {
    lead = resolve;
  });
  const rig = await startRig({ resources: [list, rarely, fakeResource()], turn });
  rigs.push(rig);
  await rig.pass(60_000, 1_000);
  expect(new Set(rig.venue.asked)).toEqual(new Set(['/list', '/oi']));
  lead();
  await rig.passUntil(() => rig.venue.asked.includes('/rarely'), 1_000);
});

test('an engine that was stopped before its turn came does nothing when it does', async () => {
  let lead = (): void => undefined;
  const turn = new Promise<void>((resolve) => {
    lead = resolve;
  });
  const rig = await startRig({ resources: [fakeResource({ retryMs: 5_000 })], turn });
  await rig.engine.stop();
  lead();
  await rig.pass(10_000, 1_000);
  expect(rig.venue.asked).toEqual([]);
  expect(rig.health('oi')).toBeUndefined();
  await rig.stop();
});

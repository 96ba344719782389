import { HOUR_MS, ManualClock } from '@crosstape/core';
import { startSimulator } from '@crosstape/simulator';
import { readablePublishers, requestsOf } from '@crosstape/venues';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import type { JobRunner } from '../platform/jobs.ts';
import { bundledEntry } from '../platform/testing/bundled-entry.ts';
import { startThreadJobs } from '../platform/thread-jobs.ts';
import { parseBodyTask } from './parse-body.ts';
import { SampleClient, type SampleClientOptions } from './sample-client.ts';
import { fakeResource, oiBody } from './testing/fake-venue.ts';
import { type Rig, startRig } from './testing/rig.ts';

/** Rows of a body that is well over a megabyte. */
const MANY_ROWS = 100_000;
const entry = bundledEntry(new URL('./testing/fake-worker.ts', import.meta.url));
let rig: Rig | undefined;
let jobs: JobRunner;
/** With the worker of the service. */
let own: JobRunner;
beforeAll(() => {
  jobs = startThreadJobs({ entry });
  own = startThreadJobs();
});
afterEach(async () => {
  await rig?.stop();
  rig = undefined;
});
afterAll(() => Promise.all([jobs.stop(), own.stop()]));

/** A resource whose parser, if it ever ran here, would be caught at it. */
const elsewhere = fakeResource({
  parse: () => {
    throw new Error('parsed on the event loop');
  },
});

async function startWith(body: string): Promise<Rig> {
  rig = await startRig({
    resources: [elsewhere],
    jobs,
    prepare: (venue) => {
      venue.answer = (_, response) => void response.end(body);
    },
  });
  rig.clock.advance(250);
  return rig;
}

test('an answer over a megabyte is parsed on another thread', async () => {
  const started = await startWith(oiBody(5, MANY_ROWS));
  await vi.waitFor(() => expect(started.health('oi')?.status).toBe('ok'), { timeout: 60_000 });
  expect(started.snapshot()?.rows).toHaveLength(MANY_ROWS);
  expect(started.snapshot()?.rows[0]?.coin).toBe('COIN0 on a thread');
});

test.each([
  ['that is no JSON', `[${' '.repeat(1_100_000)}`, /not JSON/],
  ['with a number that is none', `[["BTC",null]${' '.repeat(1_100_000)}]`, /not a finite number/],
])('an answer over a megabyte %s is reported as changed', async (_, body, error) => {
  const started = await startWith(body);
  await vi.waitFor(() => expect(started.health('oi')?.status).toBe('changed'), { timeout: 60_000 });
  expect(started.health('oi')?.error).toMatch(error);
});

test('an answer whose thread dies is reported as down, and the next one is parsed', async () => {
  const started = await startWith(`[["die",1]${' '.repeat(1_100_000)}]`);
  const died = { status: 'down', error: expect.stringContaining('a thread ended') as string };
  await vi.waitFor(() => expect(started.health('oi')).toMatchObject(died), { timeout: 60_000 });
  started.venue.answer = (_, response) => void response.end(oiBody(5, MANY_ROWS));
  await vi.waitFor(
    () => {
      // Until the next request; its answer takes no time of the clock.
      if (started.venue.asked.length === 1) started.clock.advance(100);
      expect(started.health('oi')?.status).toBe('ok');
    },
    { timeout: 60_000, interval: 5 },
  );
});

test('the worker of the service knows everything that is requested of every publisher', async () => {
  const span = { market: { symbol: 'BTC' }, fromMs: 0, toMs: 1 };
  const asked = { receivedAtMs: 1, known: {}, key: '', path: '/', question: span };
  for (const { id, connector } of readablePublishers) {
    for (const { name } of connector ? requestsOf(connector) : []) {
      const body = new TextEncoder().encode('{}');
      const parsed = own.run(parseBodyTask, { venue: id, source: name, body, ...asked });
      await expect(parsed, `${id} ${name}`).resolves.toBeDefined();
    }
  }
  const unknown = { venue: 'unknown', source: 'nothing', body: new Uint8Array(), ...asked };
  await expect(own.run(parseBodyTask, unknown)).rejects.toThrow('no source nothing of unknown');
});

test('past funding of a contract that was listed years ago is read on another thread, as far as it was requested', async () => {
  const nowMs = Date.UTC(2026, 10, 16, 14);
  const clock = new ManualClock(nowMs);
  const simulator = await startSimulator({ port: 0, seed: 5, clock, sources: ['kraken'] });
  onTestFinished(() => simulator.close());
  const publisher = readablePublishers.find(({ id }) => id === 'kraken');
  const samples = publisher?.connector?.histories?.[0];
  let bytes = 0;
  const client = new SampleClient({
    publisher,
    samples,
    weightPerMinute: 60,
    venue: 'kraken',
    clock,
    jobs: own,
    known: () => ({}),
    gate: { answered: () => undefined },
    openMeter: () => ({ countGood: () => undefined, turn: () => undefined }),
    client: {
      send: async ({ path }: { readonly path: string }) => {
        const body = new Uint8Array(await (await fetch(`${simulator.url}/kraken${path}`)).arrayBuffer());
        bytes = body.byteLength;
        return { body, receivedAtMs: nowMs, ageMs: 0 };
      },
    },
  } as unknown as SampleClientOptions);
  const span = { market: { symbol: 'PF_XBTUSD' }, fromMs: nowMs - 300 * 24 * HOUR_MS, toMs: nowMs };
  const page = await client.read(span);
  expect(bytes).toBeGreaterThan(4_000_000);
  expect([page.samples.length, page.samples[0]?.ts, page.samples.at(-1)?.ts]).toEqual([
    300 * 24,
    span.fromMs,
    nowMs - HOUR_MS,
  ]);
});

import { venues } from '@crosstape/venues';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import type { JobRunner } from '../platform/jobs.ts';
import { bundledEntry } from '../platform/testing/bundled-entry.ts';
import { startThreadJobs } from '../platform/thread-jobs.ts';
import { parseBodyTask } from './parse-body.ts';
import { fakeResource, oiBody } from './testing/fake-venue.ts';
import { type Rig, startRig } from './testing/rig.ts';

/** Rows of a body that is well over a megabyte. */
const MANY_ROWS = 100_000;
const entry = bundledEntry(new URL('./testing/fake-worker.ts', import.meta.url));
let rig: Rig | undefined;
let jobs: JobRunner;
beforeAll(() => {
  jobs = startThreadJobs({ entry });
});
afterEach(async () => {
  await rig?.stop();
  rig = undefined;
});
afterAll(() => jobs.stop());

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

test('the worker of the service knows every resource and lookup of every venue', async () => {
  const own = startThreadJobs();
  onTestFinished(() => own.stop());
  const context = { receivedAtMs: 1, known: {}, key: '' };
  for (const { id, connector } of venues) {
    for (const { name } of [...(connector?.resources ?? []), ...(connector?.lookups ?? [])]) {
      const body = new TextEncoder().encode('{}');
      const parsed = await own.run(parseBodyTask, { venue: id, source: name, body, ...context });
      expect('malformed' in parsed || 'declined' in parsed, `${id} ${name}`).toBe(true);
    }
  }
  const unknown = { venue: 'unknown', source: 'nothing', body: new Uint8Array(), ...context };
  await expect(own.run(parseBodyTask, unknown)).rejects.toThrow('no source nothing of unknown');
});

import { afterEach, describe, expect, test } from 'vitest';
import { NO_ANSWER_YET } from '../topics.ts';
import { fakeLookup, fakeResource } from './testing/fake-venue.ts';
import { type Rig, type RigOptions, startRig } from './testing/rig.ts';

let rig: Rig;
afterEach(() => rig.stop());

/** Nothing but open interest fails. */
async function startFailing(httpStatus: number, options: RigOptions): Promise<void> {
  rig = await startRig({
    ...options,
    prepare: (venue) => {
      const { answer } = venue;
      venue.answer = (request, response) => {
        if (request.url?.startsWith('/oi')) response.writeHead(httpStatus).end();
        else answer(request, response);
      };
    },
  });
}

const failing = (): readonly string[] => rig.venue.asked.filter((path) => path.startsWith('/oi'));

const isIdle = (): boolean => rig.health('oi')?.error === NO_ANSWER_YET;

describe('a source that failed when it was last wanted', () => {
  test('is idle, not failing, without demand, and is polled on demand', async () => {
    await startFailing(503, { resources: [fakeResource({ polled: 'demand' })] });
    rig.want();
    await rig.passUntil(() => rig.health('oi')?.error === 'The venue answered HTTP 503.', 5_000);
    await rig.passUntil(isIdle, 60_000, 1_000);
    expect(rig.health('oi')?.status).toBe('down');
    const { length } = failing();
    rig.want();
    await rig.passUntil(() => failing().length > length, 100);
  });

  test('keeps failing without demand until its next poll would be due', async () => {
    const keys = (_: unknown, asked: readonly string[]): readonly string[] => asked;
    const lookups = [fakeLookup({ polled: 'demand', everyMs: 1_000, keys })];
    const other = fakeResource({
      name: 'other',
      gives: ['prices'],
      everyMs: 1_000,
      request: { method: 'GET', path: '/other' },
      parse: () => ({ prices: [] }),
    });
    await startFailing(451, { lookups, resources: [other] });
    rig.want(['A']);
    await rig.passUntil(() => rig.health('oi')?.status === 'blocked', 1_000);
    // Demand ends after five seconds; a blocked source is left alone for at least fifteen.
    await rig.pass(10_000, 1_000);
    expect(rig.health('oi')?.status).toBe('blocked');
    await rig.passUntil(isIdle, 60_000, 1_000);
    expect(failing()).toHaveLength(1);
    rig.want(['A']);
    await rig.passUntil(() => failing().length === 2, 1_000);
    await rig.passUntil(() => rig.health('oi')?.status === 'blocked', 1_000);
  });
});

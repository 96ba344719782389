import type { Resource } from '@crosstape/venues';
import { afterEach, describe, expect, test } from 'vitest';
import { type FakeVenue, fakeResource } from './testing/fake-venue.ts';
import { type Rig, startRig } from './testing/rig.ts';

let rig: Rig;
afterEach(() => rig.stop());

const { parse } = fakeResource();
/** Pages `/oi`, `/oi/2`, `/oi/3` and on, without an end. */
const paged = (changes: Partial<Resource> = {}): Resource =>
  fakeResource({
    parse: (body, atMs, known, path = '') => {
      const page = Number(/\/(\d+)$/.exec(path)?.[1] ?? 1);
      return { ...parse(body, atMs, known), more: { method: 'GET', path: `/oi/${page + 1}` } };
    },
    pagesMax: 3,
    ...changes,
  });

/** Answers each page with its own row, and the named ones with a status. */
function answering(bad: Readonly<Record<string, number>> = {}): FakeVenue['answer'] {
  return ({ url = '' }, response) => {
    const status = bad[url];
    if (status !== undefined) response.writeHead(status).end();
    else response.end(JSON.stringify([[url, 1]]));
  };
}

async function start(resource: Resource, bad: Readonly<Record<string, number>> = {}): Promise<void> {
  rig = await startRig({
    resources: [resource],
    prepare: (venue) => {
      venue.answer = answering(bad);
    },
  });
  await rig.passUntil(() => rig.health('oi')?.error !== 'No answer yet.', 2_000);
}

const rows = (): readonly string[] => (rig.snapshot()?.rows ?? []).map(({ coin }) => coin);

describe('an answer in pages', () => {
  test('has no more of them than its resource needs', async () => {
    await start(paged());
    expect(rows()).toEqual(['/oi', '/oi/2', '/oi/3']);
    expect(rig.health('oi')?.status).toBe('ok');
    expect(rig.snapshot()).not.toHaveProperty('isPartial');
  });

  test('is dropped as a whole when one of them fails', async () => {
    await start(paged(), { '/oi/3': 422 });
    expect(rig.snapshot()).toBeUndefined();
    expect(rig.health('oi')?.status).toBe('changed');
  });

  test('of a resource that is useful in part keeps those that came, and says that some are missing', async () => {
    await start(paged({ isUsefulInPart: true }), { '/oi/3': 422 });
    expect(rows()).toEqual(['/oi', '/oi/2']);
    expect(rig.snapshot()).toMatchObject({ isPartial: true });
    expect(rig.health('oi')).toMatchObject({
      status: 'changed',
      error: 'Only a part of the answer came. The venue answered HTTP 422.',
    });
    rig.venue.answer = answering();
    await rig.passUntil(() => rig.health('oi')?.status === 'ok', 10_000);
    expect(rows()).toHaveLength(3);
    expect(rig.snapshot()).not.toHaveProperty('isPartial');
  });

  test('without its first page is no answer, though parts are useful', async () => {
    await start(paged({ isUsefulInPart: true }), { '/oi': 422 });
    expect(rig.snapshot()).toBeUndefined();
  });
});

describe('a resource with a second address', () => {
  const fallback = { method: 'GET', path: '/other?page=1' } as const;
  const resource = fakeResource({ fallback });

  test.each([403, 404, 422, 500])(
    'is asked there when the first answers HTTP %d, and says so',
    async (status) => {
      await start(resource, { '/oi': status });
      await rig.passUntil(() => rig.snapshot() !== undefined, 2_000);
      expect(rows()).toEqual(['/other?page=1']);
      expect(rig.health('oi')).toMatchObject({
        status: 'ok',
        notes: [`/oi failed (The venue answered HTTP ${status}); /other is read instead.`],
      });
      rig.venue.answer = answering();
      await rig.passUntil(() => rows()[0] === '/oi', 10_000);
      expect(rig.health('oi')).not.toHaveProperty('notes');
    },
  );

  test('is not asked there when it wants fewer requests', async () => {
    await start(resource, { '/oi': 429 });
    expect(rig.venue.asked).toEqual(['/oi']);
    expect(rig.health('oi')?.status).toBe('limited');
  });

  test('fails as the first address does when neither helps', async () => {
    await start(resource, { '/oi': 403, '/other?page=1': 404 });
    expect(rig.health('oi')).toMatchObject({
      status: 'blocked',
      error: 'The venue answered HTTP 403. Nor does /other help: The venue answered HTTP 404.',
    });
  });
});

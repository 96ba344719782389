import { ManualClock } from '@crosstape/core';
import { type TObject, type TString, Type } from 'typebox';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { LatestTopic } from '../platform/bus.ts';
import { LocalBus } from '../platform/local-bus.ts';
import { LateClock } from '../platform/testing/late-clock.ts';
import { AnswerCache, withMeta } from './answer-cache.ts';
import type { RequestContext, Resources } from './request-context.ts';
import { type Endpoint, type Reply } from './endpoint.ts';
import { noTape } from '../api/testing/no-tape.ts';
import { endpoint } from '../features/context.ts';

const topic: LatestTopic<string> = { name: 'word', keep: { kind: 'latest' } };
const other: LatestTopic<string> = { name: 'other', keep: { kind: 'latest' } };

let clock: ManualClock;
let bus: LocalBus;
let resources: Resources;
beforeEach(() => {
  clock = new ManualClock(0);
  bus = new LocalBus(clock);
  resources = {
    clock,
    bus,
    venues: [],
    sources: [],
    upstream: 'live',
    jobs: noTape.jobs,
    startedAtMs: 0,
  };
});

type Answered = Reply<string, object>;
type Handle = (query: unknown, context: RequestContext) => Answered | Promise<Answered>;

function endpointOf(handle: Handle): Endpoint {
  return endpoint<TObject, TString, Record<never, never>>({
    path: '/x',
    summary: '',
    description: '',
    query: Type.Object({}),
    data: Type.String(),
    cacheSeconds: 5,
    examples: [],
    handle,
  });
}

const meta = { fetchedAt: 0, source: 's' };
const large: Handle = () => ({ data: 'x'.repeat(10_000), meta });
const latestHandle: Handle = (_query, context) => ({ data: context.latest(topic) ?? 'nothing', meta });

describe('an answer', () => {
  it('is made again after its cache time when it was made of nothing that has a version', async () => {
    const handle = vi.fn<Handle>(() => ({ data: 'stored', meta }));
    const answers = new AnswerCache(resources);
    await answers.answer('k', endpointOf(handle), {});
    clock.advance(4_999);
    await answers.answer('k', endpointOf(handle), {});
    expect(handle).toHaveBeenCalledTimes(1);
    clock.advance(1);
    await answers.answer('k', endpointOf(handle), {});
    expect(handle).toHaveBeenCalledTimes(2);
  });

  it('is reused while what it was made from is unchanged, however long', async () => {
    const handle = vi.fn(latestHandle);
    const answers = new AnswerCache(resources);
    const first = await answers.answer('k', endpointOf(handle), {});
    clock.advance(1e9);
    bus.publish(other, 'x');
    expect(answers.fresh('k', clock.now())).toBe(first);
    expect(await answers.answer('k', endpointOf(handle), {})).toBe(first);
    expect(handle).toHaveBeenCalledTimes(1);
  });

  it('is rebuilt when one of its topics changes, also one that had no message before', async () => {
    const answers = new AnswerCache(resources);
    const ask = async (): Promise<string> =>
      (await answers.answer('k', endpointOf(latestHandle), {})).parts.body.toString();
    expect(await ask()).toContain('"nothing"');
    bus.publish(topic, 'one');
    expect(answers.fresh('k', clock.now())).toBeUndefined();
    expect(await ask()).toContain('"one"');
    bus.publish(topic, 'two');
    expect(await ask()).toContain('"two"');
  });

  it('keeps its compressed variants when it is rebuilt with the same bytes', async () => {
    const answers = new AnswerCache(resources);
    bus.publish(topic, 'x'.repeat(5_000));
    const first = await answers.answer('k', endpointOf(latestHandle), {});
    const variant = await first.variant('br');
    bus.publish(topic, 'x'.repeat(5_000));
    expect((await answers.answer('k', endpointOf(latestHandle), {})).ready('br')).toBe(variant);
  });

  it('is not reused past its own time', async () => {
    const answers = new AnswerCache(resources);
    await answers.answer(
      'k',
      endpointOf(() => ({ data: '', meta, validUntilMs: 10 })),
      {},
    );
    expect(answers.fresh('k', 9)).toBeDefined();
    expect(answers.fresh('k', 10)).toBeUndefined();
  });

  it('is made again after the clock was set back, however long it would still be valid', async () => {
    const late = new LateClock();
    const handle = vi.fn<Handle>(() => ({ data: 'old', meta, validUntilMs: late.now() + 1_000 }));
    const answers = new AnswerCache({ ...resources, clock: late });
    await answers.answer('k', endpointOf(handle), {});
    expect(answers.fresh('k', late.now())).toBeDefined();
    late.setRight();
    expect(answers.fresh('k', late.now())).toBeUndefined();
    await answers.answer('k', endpointOf(handle), {});
    expect(answers.fresh('k', late.now())).toBeDefined();
    expect(handle).toHaveBeenCalledTimes(2);
  });

  it('remembers the first version of a topic that changes while it is made', async () => {
    const answers = new AnswerCache(resources);
    bus.publish(topic, 'before');
    const handle: Handle = async (_query, context) => {
      const data = context.latest(topic) ?? '';
      bus.publish(topic, 'after');
      await Promise.resolve();
      context.latest(topic);
      return { data, meta };
    };
    await answers.answer('k', endpointOf(handle), {});
    expect(answers.fresh('k', 0)).toBeUndefined();
  });

  it('is made once for all waiting callers, and again for the next one after a failure', async () => {
    const answers = new AnswerCache(resources);
    const handle = vi.fn<Handle>(async () => {
      await new Promise(setImmediate);
      throw new Error('no luck');
    });
    const waiting = Array.from({ length: 50 }, () => answers.answer('k', endpointOf(handle), {}));
    const outcomes = await Promise.allSettled(waiting);
    expect(outcomes.every((outcome) => outcome.status === 'rejected')).toBe(true);
    expect(handle).toHaveBeenCalledTimes(1);
    expect((await answers.answer('k', endpointOf(latestHandle), {})).parts.body.toString()).toContain(
      'nothing',
    );
  });

  it('is dropped when answers hold too many bytes, the longest unrenewed first', async () => {
    const answers = new AnswerCache(resources, 25_000);
    for (const key of ['a', 'b', 'c']) await answers.answer(key, endpointOf(large), {});
    expect(['a', 'b', 'c'].map((key) => answers.fresh(key, 0) !== undefined)).toEqual([false, true, true]);
    expect(answers.counts.bytes).toBeLessThanOrEqual(25_000);
  });

  it('is kept from the second time on when it is large, and then reused', async () => {
    const handle = vi.fn<Handle>(() => ({ data: 'x'.repeat(2_000_000), meta }));
    const answers = new AnswerCache(resources);
    const first = await answers.answer('k', endpointOf(handle), {});
    expect(answers.counts).toEqual({ answers: 0, bytes: 0 });
    const second = await answers.answer('k', endpointOf(handle), {});
    expect(second.parts.body.equals(first.parts.body)).toBe(true);
    expect(await answers.answer('k', endpointOf(handle), {})).toBe(second);
    expect(handle).toHaveBeenCalledTimes(2);
    // Other keys are counted separately.
    await answers.answer('other', endpointOf(handle), {});
    expect(answers.counts.answers).toBe(1);
  });

  it('is dropped when there are too many answers', async () => {
    const answers = new AnswerCache(resources);
    for (let i = 0; i < 4_100; i += 1) await answers.answer(`k${i}`, endpointOf(latestHandle), {});
    expect(answers.counts.answers).toBe(4_096);
    expect(answers.fresh('k0', 0)).toBeUndefined();
  });

  it('has its own tag in each encoding, and bodies that unpack to the same bytes', async () => {
    bus.publish(topic, 'y'.repeat(5_000));
    const answer = await new AnswerCache(resources).answer('k', endpointOf(latestHandle), {});
    const variants = await Promise.all(
      (['identity', 'gzip', 'br'] as const).map((name) => answer.variant(name)),
    );
    expect(new Set(variants.map((variant) => variant.etag)).size).toBe(3);
    for (const { etag } of variants) expect(etag).toMatch(/^"[\w-]+"$/);
    expect(await answer.variant('br')).toBe(variants[2]);
  });

  it('stays plain when compression gains nothing', async () => {
    const answer = await new AnswerCache(resources).answer('k', endpointOf(latestHandle), {});
    expect(await answer.variant('br')).toBe(answer.identity);
  });

  it('can be sent to one caller with an extra field, and is then private', async () => {
    const one = endpointOf(latestHandle);
    const answer = withMeta(
      one,
      await new AnswerCache(resources).answer('k', one, {}),
      'keyStatus',
      'invalid',
    );
    expect(JSON.parse(answer.parts.body.toString())).toEqual({
      data: 'nothing',
      meta: { ...meta, keyStatus: 'invalid' },
    });
    expect(answer.identity.headers).toContain('private, no-store');
  });
});

describe('the age of an answer', () => {
  const asOf = (asOfMs: number | undefined, stale = {}): Handle => {
    return (_query, context) => ({
      data: context.latest(topic) === undefined ? '' : 'same',
      meta: { ...meta, ...stale },
      ...(asOfMs !== undefined && { asOfMs }),
    });
  };

  it('is less than the time that it may be cached, however rarely its source is asked', async () => {
    const answer = await new AnswerCache(resources).answer('k', endpointOf(asOf(undefined)), {});
    const ages = [0, 4_999, 5_000, 12_000, 86_400_000].map((nowMs) => answer.ageSeconds(nowMs));
    expect(ages).toEqual([0, 4, 0, 2, 0]);
  });

  it('is sent as it is when the answer is stale, so that no cache keeps it', async () => {
    const answer = await new AnswerCache(resources).answer(
      'k',
      endpointOf(asOf(undefined, { stale: true })),
      {},
    );
    expect([4_000, 12_000].map((nowMs) => answer.ageSeconds(nowMs))).toEqual([4, 12]);
  });

  it('counts from when its sources last confirmed it, under the same tag', async () => {
    const answers = new AnswerCache(resources);
    let asOfMs = 0;
    const endpointNow = endpointOf((_query, context) => asOf(asOfMs)(_query, context));
    bus.publish(topic, 'a');
    const first = await answers.answer('k', endpointNow, {});
    asOfMs = 3_000;
    bus.publish(topic, 'b');
    const second = await answers.answer('k', endpointNow, {});
    expect(second).toBe(first);
    expect(second.ageSeconds(4_000)).toBe(1);
  });

  it('is nothing, of what is made here', async () => {
    const answer = await new AnswerCache(resources).answer('k', endpointOf(asOf(Infinity)), {});
    expect(answer.ageSeconds(9_000)).toBe(0);
  });
});

import { gunzipSync } from 'node:zlib';
import { decodePack, HOUR_MS, resumeBuilder } from '@crosstape/core';
import { describe, expect, it, vi } from 'vitest';
import { sampleTrades } from '../../api/testing/sample-tape.ts';
import { RotationTable } from './rotation-table.ts';
import { TickTable } from '../tape/tick-table.ts';
import type { RotationJob } from './rotation-job.ts';
import { built } from './testing/built.ts';
import { BuildRig, NOW_MS, request } from './testing/rig.ts';

const rig = new BuildRig();

async function packOf(job: RotationJob) {
  const result = await rig.rotations.result(job.resultKey ?? '');
  return decodePack(new Uint8Array(gunzipSync(result?.pack as Uint8Array)));
}

describe('a build', () => {
  it('is made of every trade of the window, sealed or not, and can be carried on from', async () => {
    const all = await rig.record();
    const submission = await rig.rotations.submit(request, 'me');
    expect(submission).toMatchObject({ cached: false, degraded: false });
    expect(submission.cacheKey).toMatch(/^rot:res:[0-9a-f]{32}$/);
    const job = await rig.ended(submission);
    expect(job).toMatchObject({ status: 'done', pct: 1, trades: 7_000, resultKey: submission.cacheKey });
    const pack = await packOf(job);
    const expected = built(all, request);
    expect(pack.state).toEqual(expected.state());
    expect(pack.bars.length).toBe(expected.bars.length);
    expect(pack.bars.length).toBeGreaterThan(50);
    expect(pack.stats).toEqual(job.stats);
    expect(pack.stats).toMatchObject({
      trades: 7_000,
      firstTs: all[0]?.ts,
      lastTs: all.at(-1)?.ts,
      gaps: [{ from: NOW_MS - 24 * HOUR_MS, to: NOW_MS - 2 * HOUR_MS, reason: 'before the record begins' }],
      degraded: false,
      tick: 1,
    });
    expect(() => resumeBuilder(pack.state)).not.toThrow();
  });

  it('keeps to its window, which ends at submission', async () => {
    const all = await rig.record();
    const days = 1 / 48;
    const job = await rig.ended(await rig.rotations.submit({ ...request, days }, 'me'));
    const inWindow = all.filter(({ ts }) => ts >= NOW_MS - HOUR_MS / 2 && ts < NOW_MS);
    expect(job.stats?.trades).toBe(inWindow.length);
    expect((await packOf(job)).state).toEqual(built(inWindow, request).state());
  });

  it('loses and doubles nothing that is sealed between its submission and its reading', async () => {
    const all = await rig.record();
    rig.jobs.isHolding = true;
    const submission = await rig.rotations.submit(request, 'me');
    const later = sampleTrades(NOW_MS, 10, 7_000);
    await rig.tape.record([...all.slice(6_000), ...later], 'sealed');
    rig.jobs.release();
    const job = await rig.ended(submission);
    expect(job.trades).toBe(7_000);
    expect((await packOf(job)).state).toEqual(built(all, request).state());
  });

  it('marks the bars that a gap meets', async () => {
    const all = await rig.record();
    const from = NOW_MS - HOUR_MS + 600_000;
    const gap = { coin: 'BTC', from, to: from + 1_000, state: 'missing', reason: 'test' } as const;
    const refilled = { ...gap, from: from + 60_000, to: from + 61_000, state: 'refilled' } as const;
    await rig.tape.connected(NOW_MS - 2 * HOUR_MS, NOW_MS, gap, refilled);
    const kind = { ...request, kind: 'time', params: {} };
    const job = await rig.ended(await rig.rotations.submit(kind, 'me'));
    const { bars } = await packOf(job);
    const incomplete = [...bars.complete.subarray(0, bars.length)].filter((one) => one === 0).length;
    expect(incomplete).toBe(from % 60_000 === 0 ? 2 : 1);
    expect(job.stats?.gaps).toContainEqual({ from, to: from + 1_000, reason: 'test' });
    expect(job.stats?.gaps).toHaveLength(2);
    expect(all.length).toBe(7_000);
  });

  it('defaults to the tick of the venue at the last price', async () => {
    await rig.record();
    expect((await rig.ended(await rig.rotations.submit(request, 'me'))).stats?.tick).toBe(1);
    expect((await rig.ended(await rig.rotations.submit({ ...request, tick: 0.5 }, 'me'))).stats?.tick).toBe(
      0.5,
    );
  });

  it('cannot guess a tick without a price, and says so', async () => {
    await expect(rig.rotations.submit({ ...request, coin: 'ETH' }, 'me')).rejects.toMatchObject({
      code: 'upstream_unavailable',
    });
  });

  it.each([
    [{ kind: 'nope' }, /`kind` must be one of time, tick/],
    [{ params: { rangeTicks: 0 } }, /`params.rangeTicks` must be a whole number from 1/],
    [{ params: {} }, /`params.rangeTicks` is required/],
    [{ params: { rangeTicks: 1, more: 1 } }, /`params.more` is not a parameter of range bars/],
    [{ days: 0 }, /`days`/],
    [{ days: 7.1 }, /`days`/],
    [{ tick: 0.123456789 }, /`tick`/],
  ])('is refused with what is wrong: %j', async (part, message) => {
    await rig.record();
    const refused = rig.rotations.submit({ ...request, ...part }, 'me');
    await expect(refused).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringMatching(message),
    });
  });
});

describe('progress', () => {
  it('goes from queued over running to done, and its watchers are notified', async () => {
    await rig.record();
    rig.jobs.isHolding = true;
    const submission = await rig.rotations.submit(request, 'me');
    expect(await rig.rotations.job(submission.jobId)).toMatchObject({ status: 'queued', pct: 0, trades: 0 });
    const seen: RotationJob[] = [];
    rig.rotations.watch(submission.jobId, (job) => seen.push(job));
    rig.rotations.watch('another', () => expect.fail('not watched'));
    rig.jobs.release();
    await rig.ended(submission);
    expect(new Set(seen.slice(0, -1).map(({ status }) => status))).toEqual(new Set(['running']));
    expect(seen.at(-1)?.status).toBe('done');
    const reported = seen.map(({ pct }) => pct);
    expect(reported).toEqual(reported.toSorted((a, b) => a - b));
    expect([reported[0], reported.at(-2), reported.at(-1)]).toEqual([0, 6_000 / 7_000, 1]);
    expect(new Set(seen.map(({ totalTrades }) => totalTrades))).toEqual(new Set([7_000]));
    expect(seen.at(-2)?.bars).toBeGreaterThan(0);
  });
});

it('the total of a build is the number of trades in its window, from the first progress on', async () => {
  const all = await rig.record();
  const seen: RotationJob[] = [];
  rig.jobs.isHolding = true;
  const submission = await rig.rotations.submit({ ...request, days: 1 / 48 }, 'me');
  rig.rotations.watch(submission.jobId, (job) => seen.push(job));
  rig.jobs.release();
  const { totalTrades, trades } = await rig.ended(submission);
  const inWindow = all.filter(({ ts }) => ts >= NOW_MS - HOUR_MS / 2).length;
  expect([totalTrades, trades]).toEqual([inWindow, inWindow]);
  expect(inWindow).toBeLessThan(6_000);
  for (const one of seen) expect(Math.abs(one.totalTrades / inWindow - 1)).toBeLessThan(0.05);
});

describe('an identical build', () => {
  it('is reused for five minutes unless it failed', async () => {
    await rig.record();
    rig.jobs.isHolding = true;
    const [first, second] = await Promise.all([
      rig.rotations.submit(request, 'me'),
      rig.rotations.submit({ ...request, days: 1, tick: 1 }, 'you'),
    ]);
    expect(second).toEqual({ ...first, cached: true });
    rig.jobs.release();
    await rig.ended(first);
    rig.clock.advance(5 * 60_000 - 1);
    expect(await rig.rotations.submit(request, 'me')).toEqual({ ...first, cached: true });
    rig.clock.advance(1);
    const later = await rig.rotations.submit(request, 'me');
    expect(later.cached).toBe(false);
    expect(later.cacheKey).not.toBe(first.cacheKey);
    expect(await rig.rotations.result(first.cacheKey)).toBeDefined();
  });

  it('is not used when it failed', async () => {
    await rig.record();
    rig.jobs.problem = new Error('secret');
    const first = await rig.rotations.submit(request, 'me');
    const job = await rig.ended(first);
    expect(job.status).toBe('error');
    expect(job.error).toContain(first.jobId);
    expect(job.error).not.toContain('secret');
    expect(rig.errors).toMatchObject([{ id: first.jobId }]);
    rig.jobs.problem = undefined;
    rig.clock.advance(1);
    const second = await rig.rotations.submit(request, 'me');
    expect(second.cached).toBe(false);
    expect((await rig.ended(second)).status).toBe('done');
  });

  it('is not one with other parameters, days, tick or wishes', async () => {
    await rig.record();
    const others = [
      { params: { rangeTicks: 21 } },
      { days: 2 },
      { tick: 2 },
      { degraded: false },
      { kind: 'tick', params: {} },
    ];
    const keys = new Set<string>();
    for (const part of [{}, ...others]) {
      const submission = await rig.rotations.submit({ ...request, ...part }, 'me');
      await rig.ended(submission);
      expect(submission.cached).toBe(false);
      keys.add(submission.cacheKey);
    }
    expect(keys.size).toBe(others.length + 1);
  });
});

describe('a degraded build', () => {
  it('is made of the last 1,000 trades in memory when it is requested', async () => {
    const all = sampleTrades(NOW_MS - HOUR_MS, 3_000);
    await rig.tape.record(all, 'memory');
    const submission = await rig.rotations.submit({ ...request, degraded: true }, 'me');
    expect(submission.degraded).toBe(true);
    const job = await rig.ended(submission);
    expect(job.stats).toMatchObject({ trades: 1_000, degraded: true });
    expect((await packOf(job)).state).toEqual(built(all.slice(-1_000), request).state());
  });

  it('is chosen when no trade lies in the window', async () => {
    await rig.tape.record(sampleTrades(NOW_MS - 2 * HOUR_MS, 3_000), 'memory');
    const submission = await rig.rotations.submit({ ...request, days: 0.01 }, 'me');
    expect(submission.degraded).toBe(true);
    expect((await rig.ended(submission)).stats).toMatchObject({ trades: 1_000, degraded: true });
  });

  it('is chosen when the record cannot be read, and its result is kept in memory then', async () => {
    await rig.tape.record(sampleTrades(NOW_MS - HOUR_MS, 3_000), 'memory');
    vi.spyOn(TickTable.prototype, 'tail').mockRejectedValue(new Error('unreadable'));
    vi.spyOn(RotationTable.prototype, 'finish').mockRejectedValue(new Error('full'));
    vi.spyOn(RotationTable.prototype, 'save').mockRejectedValue(new Error('full'));
    const submission = await rig.rotations.submit(request, 'me');
    expect(submission.degraded).toBe(true);
    const job = await rig.ended(submission);
    expect(job.status).toBe('done');
    expect((await packOf(job)).stats.trades).toBe(1_000);
  });

  it('that is refused leaves an error that says why', async () => {
    await rig.tape.record(sampleTrades(NOW_MS - 2 * HOUR_MS, 3_000), 'memory');
    const job = await rig.ended(
      await rig.rotations.submit({ ...request, days: 0.01, degraded: false }, 'me'),
    );
    expect(job).toMatchObject({
      status: 'error',
      error: expect.stringContaining('no trade of BTC was recorded'),
    });
  });

  it('without any trade is an error too', async () => {
    const job = await rig.ended(await rig.rotations.submit({ ...request, tick: 1 }, 'me'));
    expect(job).toMatchObject({ status: 'error', error: expect.stringContaining('no trade of BTC') });
  });
});

describe('limits', () => {
  const own = (rangeTicks: number) => ({ ...request, params: { rangeTicks } });

  it('let a caller have two builds at a time', async () => {
    await rig.record();
    rig.jobs.isHolding = true;
    await rig.rotations.submit(own(1), 'me');
    await rig.rotations.submit(own(2), 'me');
    await expect(rig.rotations.submit(own(3), 'me')).rejects.toMatchObject({
      code: 'rate_limited',
      details: { retryAfterSeconds: 5 },
    });
    expect((await rig.rotations.submit(own(2), 'me')).cached).toBe(true);
    const other = await rig.rotations.submit(own(3), 'you');
    rig.jobs.release();
    await rig.ended(other);
    expect((await rig.rotations.submit(own(4), 'me')).cached).toBe(false);
  });

  it('let 32 builds of all callers wait or run', async () => {
    await rig.record();
    rig.jobs.isHolding = true;
    for (let i = 1; i <= 32; i += 1) await rig.rotations.submit(own(i), `caller ${i}`);
    await expect(rig.rotations.submit(own(33), 'one more')).rejects.toMatchObject({
      code: 'overloaded',
      details: { retryAfterSeconds: 5 },
    });
    rig.jobs.release();
  });

  it('end a build that takes longer than ten minutes', async () => {
    await rig.record();
    rig.jobs.isHolding = true;
    const submission = await rig.rotations.submit(request, 'me');
    await vi.waitFor(async () => expect(await rig.tape.builds.job(submission.jobId)).toBeDefined());
    rig.clock.advance(10 * 60_000);
    expect(await rig.ended(submission)).toMatchObject({
      status: 'error',
      error: expect.stringContaining('longer'),
    });
  });
});

describe('time', () => {
  it('takes a job an hour, and a result a day after its end', async () => {
    await rig.record();
    const submission = await rig.rotations.submit(request, 'me');
    await rig.ended(submission);
    rig.clock.advance(HOUR_MS - 1);
    expect(await rig.rotations.job(submission.jobId)).toBeDefined();
    rig.clock.advance(1);
    expect(await rig.rotations.job(submission.jobId)).toBeUndefined();
    rig.clock.advance(22.9 * HOUR_MS);
    expect(await rig.rotations.result(submission.cacheKey)).toBeDefined();
    rig.clock.advance(0.2 * HOUR_MS);
    await vi.waitFor(async () => expect(await rig.rotations.result(submission.cacheKey)).toBeUndefined());
    expect(await rig.tape.builds.jobs()).toEqual([]);
  });
});

describe('a restart', () => {
  it('finds finished builds, and fails unfinished ones', async () => {
    await rig.record();
    const done = await rig.rotations.submit(request, 'me');
    await rig.ended(done);
    rig.jobs.isHolding = true;
    const lost = await rig.rotations.submit({ ...request, kind: 'tick', params: {} }, 'me');
    await vi.waitFor(async () => expect(await rig.tape.builds.job(lost.jobId)).toBeDefined());
    // The process dies here: nothing is stopped.
    const dead = rig.rotations;
    await rig.tape.restart();
    expect(await rig.rotations.job(done.jobId)).toMatchObject({ status: 'done', pct: 1 });
    expect(await rig.rotations.submit(request, 'me')).toEqual({ ...done, cached: true });
    expect(await rig.rotations.result(done.cacheKey)).toBeDefined();
    expect(await rig.rotations.job(lost.jobId)).toMatchObject({
      status: 'error',
      error: 'The service stopped before it was done; submit it again.',
    });
    await dead.stop();
  });

  it('that is announced ends running builds with a message, and refuses new ones', async () => {
    await rig.record();
    rig.jobs.isHolding = true;
    const submission = await rig.rotations.submit(request, 'me');
    await rig.rotations.stop();
    expect(await rig.rotations.job(submission.jobId)).toMatchObject({
      status: 'error',
      error: 'The service is stopping; submit it again later.',
    });
    await expect(rig.rotations.submit({ ...request, days: 2 }, 'me')).rejects.toMatchObject({
      code: 'overloaded',
    });
  });
});

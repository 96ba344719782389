import { type Clock, ManualClock } from '@crosstape/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { connectRedis, disconnect, isConnected, type RedisLink } from './redis.ts';
import { hasRedis, TestRedis } from './testing/redis-server.ts';
import { type BuildClaim, type BuildCoordinator } from '../features/rotations/build-coordinator.ts';
import { openSharedCoordinator } from './shared-build-coordinator.ts';

describe.runIf(hasRedis)('a coordinator', () => {
  const closers: (() => Promise<void> | void)[] = [];
  let server: TestRedis;
  let link: RedisLink;
  beforeEach(async () => {
    server = await TestRedis.start();
    link = connectRedis(server.url);
    closers.push(
      () => server.close(),
      () => disconnect(link),
    );
    await isConnected(link);
  });
  afterEach(async () => {
    for (const close of closers.splice(0).toReversed()) await close();
  });

  function open(owner: string, clock?: Clock): BuildCoordinator {
    const limits = {
      reuseMs: 60_000,
      liveMs: 60_000,
      liveMax: { caller: 2, address: 3, network: 4, all: 8 },
    };
    const coordinator = openSharedCoordinator({
      link,
      prefix: '{test}',
      owner,
      ...limits,
      ...(clock && { clock }),
    });
    closers.push(() => coordinator.stop());
    return coordinator;
  }

  it('on a full server lets builds end, and its gateway be known to be there', async () => {
    const coordinator = open('a');
    const claim = { id: 'b-1', specHash: 'x', caller: 'me', address: '1.2.3.4' };
    expect(await coordinator.claim(claim)).toEqual({ verdict: 'yours' });
    await link.config('SET', 'maxmemory', '1');
    await link.del('{test}:owner:a');
    await coordinator.end(claim, false);
    expect(await link.exists('{test}:live', '{test}:spec:x')).toBe(0);
    await vi.waitUntil(() => link.exists('{test}:owner:a'), { timeout: 15_000 });
  });

  it('gives out an ended build only where it is reusable', async () => {
    const coordinator = open('a');
    const claim = { id: 'b-1', specHash: 'x', caller: 'me', address: '1.2.3.4' };
    await coordinator.claim(claim);
    await coordinator.end(claim, true);
    expect(await coordinator.claim({ ...claim, id: 'b-2' })).toEqual({ knownId: 'b-1' });
    await coordinator.end(claim, false);
    expect(await coordinator.claim({ ...claim, id: 'b-3' })).toEqual({ verdict: 'yours' });
  });

  it('frees the slots that a caller held at a gateway that is gone', async () => {
    const [gone, coordinator] = [open('gone'), open('here')];
    const claims = ['1', '11', '2'].map((n) => ({
      id: `b-${n}`,
      specHash: n,
      caller: 'me',
      address: '1.2.3.4',
    }));
    const [first, second, third] = claims as [BuildClaim, BuildClaim, BuildClaim];
    expect(await gone.claim(first)).toEqual({ verdict: 'yours' });
    expect(await gone.claim(second)).toEqual({ verdict: 'yours' });
    expect(await coordinator.claim(third)).toEqual({ verdict: 'caller' });
    const { id, specHash } = first;
    await coordinator.end({ id, specHash }, false);
    expect(await coordinator.claim(third)).toEqual({ verdict: 'yours' });
    expect(await coordinator.claim(first)).toEqual({ verdict: 'caller' });
  });

  it('counts no owner as gone before the server has been reachable for the lifetime of a heartbeat', async () => {
    const clock = new ManualClock(1_763_164_800_000);
    const coordinator = open('here', clock);
    expect(await coordinator.isAlive('other')).toBe(true);
    clock.advance(9_999);
    expect(await coordinator.isAlive('other')).toBe(true);
    clock.advance(1);
    expect(await coordinator.isAlive('other')).toBe(false);
    await server.stop();
    await vi.waitUntil(() => link.status !== 'ready');
    // Its own heartbeat does not count, whether or not another gateway is looked for meanwhile.
    clock.advance(3_000);
    await server.start();
    await isConnected(link);
    expect(await coordinator.isAlive('other')).toBe(true);
    clock.advance(9_999);
    expect(await coordinator.isAlive('other')).toBe(true);
    clock.advance(1);
    expect(await coordinator.isAlive('other')).toBe(false);
    expect(await coordinator.isAlive('here')).toBe(true);
  });
});

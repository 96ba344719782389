import { ManualClock } from '@crosstape/core';
import { expect, it, onTestFinished } from 'vitest';
import { isConnected } from '../redis.ts';
import { systemRandom } from '../../platform/random.ts';
import { openTestLink } from '../testing/redis-link.ts';
import { hasRedis, TestRedis } from '../testing/redis-server.ts';
import type { Settings } from '../../settings/settings.ts';
import { Stops } from '../../roles/role-dependencies.ts';
import { fetchUpstream, connectParts, type SharedParts, publishUpstream } from './shared-parts.ts';

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

it.runIf(hasRedis)(
  'a start that is given up waits no longer for a server that hangs, wherever it is',
  async () => {
    const server = await TestRedis.start();
    const stops = new Stops();
    onTestFinished(async () => {
      await stops.stop();
      await server.close();
    });
    const start = new AbortController();
    const parts = await connectParts(
      {
        settings: {} as Settings,
        clock: new ManualClock(0),
        random: systemRandom(),
        log,
        url: server.url,
        signal: start.signal,
      },
      stops,
    );
    server.signal('SIGSTOP');
    const waiting = parts.link.get('x');
    start.abort();
    await expect(waiting).rejects.toThrow('closed');
    await expect(isConnected(parts.connect())).rejects.toThrow('the connection is over');
  },
);

it.runIf(hasRedis)('the market can be published to a server that is out of memory', async () => {
  const link = await openTestLink();
  await link.config('SET', 'maxmemory', '1');
  const parts = { link, log, settings: { upstream: 'auto' } } as unknown as SharedParts;
  const market = { mode: 'sim', tenant: 'sim/1' } as const;
  await publishUpstream(parts, market);
  expect(await fetchUpstream(parts)).toEqual(market);
});

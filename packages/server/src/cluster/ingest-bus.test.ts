import { expect, it, vi } from 'vitest';
import { systemClock } from '../platform/system-clock.ts';
import { shardsOf } from './bus-wire.ts';
import { IngestBus } from './ingest-bus.ts';
import { connectRedis, type RedisLink } from './redis.ts';
import { openTestLink } from './testing/redis-link.ts';
import { hasRedis } from './testing/redis-server.ts';

const quiet = (): void => {};
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };

it.runIf(hasRedis)('closes its connections when it cannot be opened', async () => {
  const link = await openTestLink();
  const prefix = 'test';
  // Not a stream: reading it fails, like a command that times out.
  await link.set(shardsOf(prefix).at(-1)?.log as string, 'text');
  const { port } = link.options as { readonly port: number };
  const links: RedisLink[] = [];
  const connect = (): RedisLink => {
    const one = connectRedis(`redis://127.0.0.1:${port}`);
    links.push(one);
    return one;
  };
  const callbacks = { isCopied: () => false, onLost: quiet, onFenced: quiet };
  const opening = IngestBus.open({ clock: systemClock, log, prefix, link, connect, ...callbacks });
  await expect(opening).rejects.toThrow('WRONGTYPE');
  expect(links.length).toBeGreaterThan(0);
  await vi.waitUntil(() => links.every(({ status }) => status === 'end'), { timeout: 10_000 });
});

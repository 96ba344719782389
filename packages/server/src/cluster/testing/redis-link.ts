import { onTestFinished } from 'vitest';
import { connectRedis, disconnect, isConnected, type RedisLink } from '../redis.ts';
import { TestRedis } from './redis-server.ts';

/** A connection to a Redis of this test; both are closed with the test. */
export async function openTestLink(): Promise<RedisLink> {
  const server = await TestRedis.start();
  onTestFinished(() => server.close());
  const link = connectRedis(server.url);
  onTestFinished(() => disconnect(link));
  await isConnected(link);
  return link;
}

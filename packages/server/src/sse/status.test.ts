import { afterEach, expect, test, vi } from 'vitest';
import type { SseClient } from '../api/testing/sse-client.ts';
import { START_MS, type StreamService, startStreamService } from '../api/testing/stream-service.ts';
import { HEARTBEAT_EVERY_MS } from './reader.ts';

let service: StreamService;
afterEach(() => service.close());

/** The first `count` heartbeats, as soon as they have arrived. */
async function beatsOf(client: SseClient, count: number): Promise<readonly Record<string, unknown>[]> {
  await vi.waitFor(() => expect(client.named('heartbeat').length).toBeGreaterThanOrEqual(count), {
    timeout: 15_000,
    interval: 5,
  });
  return client.named('heartbeat').map(({ data }) => data);
}

test.each([
  ['trades?coin=BTC', 'trades'],
  ['whales', 'trades'],
  ['funding', 'funding'],
])('%s reports at once, and with each heartbeat, that its source fails', async (path, gives) => {
  service = await startStreamService();
  const { clock, healths } = service;
  const source = { publisher: 'hyperliquid', gives };
  const client = await service.connect(path);
  const [hello] = await beatsOf(client, 1);
  expect(hello).not.toHaveProperty('state');

  clock.advance(1_000);
  healths.turn(source, 'stale', 'No data for 7 s.');
  const failing = {
    state: 'stale',
    sinceTs: START_MS + 1_000,
    reason: `hyperliquid ${gives}: No data for 7 s.`,
  };
  expect((await beatsOf(client, 2))[1]).toMatchObject({ now: START_MS + 1_000, ...failing });
  clock.advance(HEARTBEAT_EVERY_MS - 1_000);
  expect((await beatsOf(client, 3))[2]).toMatchObject(failing);
  const late = await service.connect(path);
  expect((await beatsOf(late, 1))[0]).toMatchObject(failing);

  healths.turn(source, 'ok');
  expect((await beatsOf(client, 4))[3]).not.toHaveProperty('state');
  expect((await beatsOf(late, 2))[1]).not.toHaveProperty('state');
});

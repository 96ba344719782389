import { afterEach, expect, it } from 'vitest';
import { UNREAD_BYTES_MAX } from './outbox.ts';
import { GatewayService, START_MS } from './testing/gateway-service.ts';
import type { WsClient } from './testing/ws-client.ts';

/** Long, so that no bar ends during a test. */
const intervals = ['15s', '1m', '5m', '15m', '1h', '4h', '1d'] as const;
const LEVELS = 40_000;

let service: GatewayService;
afterEach(() => service.close());

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const counts = () => service.gateway.counts() as Record<string, number>;
const statesOf = (client: WsClient) => client.data('footprint').map(({ payload }) => payload.interval);
const trade = () => service.trade({ coin: 'ETH' });

/** Until the client's socket buffer is full and state updates are skipped. */
async function fill(): Promise<void> {
  let mark = 100_000;
  while (counts().skipped === 0) {
    service.release(...Array.from({ length: 500 }, trade));
    mark += 1;
    service.table('prices', [{ coin: 'ETH', symbol: 'ETH', mark, index: 100_000, mid: mark }]);
    await turn();
  }
}

it('gives a client that joins large states without reading each of them once it reads', async () => {
  service = await GatewayService.start({ hasTape: true });
  const levels = Array.from({ length: LEVELS }, (_, n) =>
    service.trade({ ts: START_MS, price: 50_000 + n / 2, size: 0.001 }),
  );
  await service.tape.record(levels, 'tail');
  const client = await service.connect();
  for (const channel of ['trades', 'markPrice'])
    await client.ask({ op: 'subscribe', id: channel, channel, symbol: 'ETH' });
  client.ws.pause();
  await fill();
  for (const interval of intervals)
    client.send({ op: 'subscribe', channel: 'footprint', symbol: 'BTC', interval });
  await client.until(() => counts().subscriptions === 2 + intervals.length);
  client.ws.resume();
  while (client.closed === undefined && statesOf(client).length < intervals.length) {
    // Every turn brings something that could exceed the limit.
    service.release(trade());
    await turn();
  }
  expect(client.closed).toBeUndefined();
  expect(new Set(statesOf(client))).toEqual(new Set(intervals));
  const bytes = client.bytes.filter((_, i) => client.frames[i]?.channel === 'footprint');
  expect(Buffer.concat(bytes).length).toBeGreaterThan(UNREAD_BYTES_MAX);
  // Nothing was skipped that had not begun.
  expect(client.of('lagged').map(({ channel }) => channel)).toEqual(['markPrice']);
});

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { UNREAD_BYTES_MAX } from './outbox.ts';
import { GatewayService } from './testing/gateway-service.ts';

let service: GatewayService;
beforeEach(async () => {
  service = await GatewayService.start();
});
afterEach(() => service.close());

const subscribe = (channel: string, id: string) => ({ op: 'subscribe', id, channel, symbol: 'BTC' });
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const counts = () => service.gateway.counts() as Record<string, number>;

/** Mark prices of one poll, each higher than the last. */
let mark = 100_000;
function poll(): void {
  mark += 1;
  service.table('prices', [{ coin: 'BTC', symbol: 'BTC', mark, index: 100_000, mid: mark }]);
}

it('closes a client that never reads with 4408, in bounded memory, and sends the others everything', async () => {
  const [reader, sleeper] = [await service.connect(), await service.connect()];
  for (const client of [reader, sleeper]) await client.ask(subscribe('trades', 't'));
  sleeper.ws.pause();
  let sent = 0;
  while (counts().tooSlow === 0) {
    for (let n = 0; n < 500; n += 1) service.release(service.trade());
    sent += 500;
    await turn();
    await reader.until(() => reader.data('trades').length === sent, 20_000);
    expect(sent).toBeLessThan(200_000);
  }
  expect(sleeper.closed).toBeUndefined();
  // The client first reads what its system had buffered, without a gap, then the close reason.
  sleeper.ws.resume();
  await sleeper.until(() => sleeper.closed !== undefined, 20_000);
  expect(sleeper.closed?.code).toBe(4408);
  const seqs = sleeper.data('trades').map(({ seq }) => seq);
  expect(seqs).toEqual(seqs.map((_, n) => (seqs[0] as number) + n));
  expect(seqs.length).toBeGreaterThan(0);
  expect(counts()).toMatchObject({ tooSlow: 1, skipped: 0 });
  expect(reader.closed).toBeUndefined();
});

it('terminates a client that does not answer the close frame', async () => {
  const client = await service.connect();
  await client.ask(subscribe('trades', 't'));
  client.ws.pause();
  while (counts().tooSlow === 0) {
    for (let n = 0; n < 2_000; n += 1) service.release(service.trade());
    await turn();
  }
  expect(counts().open).toBe(1);
  service.clock.advance(5_000);
  await client.until(() => counts().open === 0);
});

it('leaves state out for a client that falls behind, says how much, and continues with the newest', async () => {
  const client = await service.connect();
  await client.ask(subscribe('markPrice', 'm'));
  await client.ask(subscribe('trades', 't'));
  client.ws.pause();
  // Trades fill the socket; state must not add to the queue.
  while (counts().skipped === 0) {
    for (let n = 0; n < 500; n += 1) service.release(service.trade());
    poll();
    await turn();
    expect(counts().tooSlow).toBe(0);
  }
  for (let n = 0; n < 1_000; n += 1) poll();
  await turn();
  const { skipped } = counts();
  expect(skipped).toBeGreaterThanOrEqual(1_000);
  client.ws.resume();
  await client.until(() => client.of('lagged').length > 0, 20_000);
  const lagged = client.of('lagged')[0];
  expect(lagged).toEqual({ type: 'lagged', channel: 'markPrice', symbol: 'BTC', skipped });
  const at = client.frames.indexOf(lagged as never);
  await client.until(() => client.frames.slice(at).some(({ channel }) => channel === 'markPrice'));
  const before = client.frames.slice(0, at).findLast(({ channel }) => channel === 'markPrice');
  const after = client.frames.slice(at + 1).find(({ channel }) => channel === 'markPrice');
  expect(after).toMatchObject({ seq: (before?.seq as number) + (skipped as number), payload: { mark } });
  poll();
  await client.until(() => client.data('markPrice').at(-1)?.payload.mark === mark);
  expect(client.data('markPrice').at(-1)?.seq).toBe((after?.seq as number) + 1);
  expect(client.of('lagged')).toHaveLength(1);
  const seqs = client.data('trades').map(({ seq }) => seq);
  expect(seqs).toEqual(seqs.map((_, n) => (seqs[0] as number) + n));
});

it('closes a client that only pings and never reads, before much waits for it', async () => {
  const client = await service.connect();
  await client.ask({ op: 'auth', id: 1 });
  client.ws.pause();
  const data = Buffer.alloc(125, 'x');
  while (counts().flooding === 0) {
    for (let n = 0; n < 2_000; n += 1) client.ws.ping(data);
    await turn();
    expect(counts().bytes).toBeLessThan(64 * UNREAD_BYTES_MAX);
  }
  expect(counts()).toMatchObject({ flooding: 1, tooSlow: 0 });
  expect(service.abusers).toHaveLength(1);
  // It does not read its close frame and is cut off after a while.
  service.clock.advance(5_000);
  await vi.waitFor(() => expect(counts().open).toBe(0));
});

it('closes those that follow it with 1012 when the gateway itself has missed something, and no other client', async () => {
  const [follower, idle] = [await service.connect(), await service.connect()];
  const other = await service.connect();
  await follower.ask(subscribe('trades', 't'));
  await follower.ask({ ...subscribe('trades', 'e'), symbol: 'ETH' });
  await other.ask({ ...subscribe('trades', 'e'), symbol: 'ETH' });
  service.bus.miss((topic) => topic === 'trades:BTC');
  await follower.until(() => follower.closed !== undefined);
  expect(follower.closed?.code).toBe(1012);
  await other.until(() => counts().open === 2);
  // The other client still has the same source.
  expect(counts().topics).toBe(1);
  service.release(service.trade({ coin: 'ETH' }));
  await other.until(() => other.data('trades').length === 1);
  expect(other.closed).toBeUndefined();
  await idle.ask(subscribe('trades', 't'));
  service.release(service.trade());
  await idle.until(() => idle.data('trades').length === 1);
  expect(idle.closed).toBeUndefined();
});

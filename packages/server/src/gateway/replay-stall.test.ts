import { afterEach, expect, it } from 'vitest';
import { GatewayService, START_MS } from './testing/gateway-service.ts';

/** More than the socket buffers of a client that does not read. */
const CHUNKS = 3;
const CHUNK_TRADES = 50_000;

let service: GatewayService;
afterEach(() => service.close());

it('closes a client with 4408 that does not read its history for 30 seconds, though little waits', async () => {
  service = await GatewayService.start({ hasTape: true });
  const counts = () => service.gateway.counts() as Record<string, number>;
  for (let chunk = 0; chunk < CHUNKS; chunk += 1) {
    const ts = START_MS - CHUNKS + chunk;
    const trades = Array.from({ length: CHUNK_TRADES }, () => service.trade({ ts }));
    await service.tape.record(trades, 'sealed');
  }
  const client = await service.connect();
  await client.ask({ op: 'auth', id: 0 });
  client.ws.pause();
  const since = { ts: START_MS - CHUNKS, count: 0 };
  client.send({ op: 'subscribe', id: 1, channel: 'trades', symbol: 'BTC', since });
  await client.until(() => counts().subscriptions === 1, 20_000);
  await client.until(() => {
    // A client that pings is not silent.
    client.ws.ping();
    service.clock.advance(1_000);
    return counts().tooSlow === 1 || counts().dead === 1;
  }, 20_000);
  expect(counts()).toMatchObject({ dead: 0 });
  client.ws.resume();
  await client.until(() => client.closed !== undefined, 20_000);
  expect(client.closed?.code).toBe(4408);
  expect(client.of('caughtUp')).toEqual([]);
  const seqs = client.data('trades').map(({ seq }) => seq);
  expect(seqs.length).toBeLessThan(CHUNKS * CHUNK_TRADES);
  expect(seqs).toEqual(seqs.map((_, n) => (seqs[0] as number) + n));
});

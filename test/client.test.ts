import { barAt, createBuilder, seededRandom } from '@crosstape/core';
import { type AnswerOf, Client } from '@crosstape/client';
import { buildBars } from '@crosstape/client/bars';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FlakyProxy } from './flaky-proxy.ts';
import { fewCoins } from './world-coins.ts';
import { World } from './world.ts';

const venue = 'hyperliquid';

let world: World;
let proxy: FlakyProxy;
let client: Client;

beforeAll(async () => {
  world = await World.open({ coins: fewCoins, rate: 8 });
  await world.until(() => world.isReady(), 20_000);
  proxy = await FlakyProxy.open(world.service.url);
  client = new Client({ url: proxy.url, clock: world.clock, random: seededRandom(5) });
});

afterAll(async () => {
  proxy.close();
  await world.close();
});

async function recorded(
  start: number,
  end: number,
): Promise<readonly (readonly [ts: number, tid: number])[]> {
  const all: (readonly [number, number])[] = [];
  for (let next: number | null = start; next !== null; ) {
    const page: AnswerOf<'/perps/trades/history'> = await client.get('/perps/trades/history', {
      coin: 'BTC',
      start: next,
      end,
      format: 'json',
    });
    all.push(
      ...(page.data as readonly { ts: number; tid: number }[]).map(({ ts, tid }) => [ts, tid] as const),
    );
    next = page.meta.nextStart;
  }
  return all;
}

describe('the client', () => {
  it('streams every trade once, in order, however often its connection breaks or freezes', async () => {
    const ending = new AbortController();
    const received: (readonly [ts: number, tid: number])[] = [];
    const gaps: unknown[] = [];
    const reading = (async () => {
      const stream = client.stream('/streams/trades', { coin: 'BTC' }, { signal: ending.signal });
      for await (const item of stream) {
        if (item.event === 'gap') gaps.push(item.data);
        else received.push([item.data.ts, item.data.tid as number]);
      }
    })().catch(() => undefined);

    const random = seededRandom(9);
    await world.until(() => received.length > 50, 60_000);
    // The venue itself stutters meanwhile: its frames come twice, or break off.
    world.simulator.faults.add({ venue, part: 'ws', fault: 'duplicate', probability: 0.5, forMs: 20_000 });
    world.simulator.faults.add({ venue, part: 'ws', fault: 'cut', probability: 0.005, forMs: 10_000 });
    for (let cut = 0; cut < 6; cut += 1) {
      await world.run(1_000 + Math.floor(random() * 3_000));
      proxy.cut();
    }
    proxy.freeze();
    const before = received.length;
    await world.run(20_000);
    expect(received.length).toBe(before);
    proxy.thaw();
    await world.until(() => received.length > before + 500, 60_000);
    ending.abort();
    await world.meanwhile(reading);

    const [first, last] = [received[0], received.at(-1)].map((one) => one?.[0] as number) as [number, number];
    expect(gaps).toEqual([]);
    const tape = await world.meanwhile(recorded(first, last + 1));
    expect(received).toEqual(
      tape.slice(tape.findIndex(([, tid]) => tid === received[0]?.[1])).slice(0, received.length),
    );
    expect(proxy.connections).toBeGreaterThan(7);
  });

  it('pages recorded ticks in columns, each trade once', async () => {
    const end = world.clock.now() - 2_000;
    const start = end - 30_000;
    const times: number[] = [];
    await world.meanwhile(
      (async () => {
        for await (const { ticks } of client.ticks('btc', { start, end })) {
          times.push(...ticks.ts.subarray(0, ticks.length));
        }
      })(),
    );
    expect(times).toEqual((await world.meanwhile(recorded(start, end))).map(([ts]) => ts));
    expect(times.length).toBeGreaterThan(500);
  });

  it("gets the service's bars, which are those of the ticks", async () => {
    const progress: number[] = [];
    const spec = { coin: 'BTC', kind: 'tick', params: { trades: 50 }, days: 0.01 } as const;
    const pack = await world.meanwhile(
      buildBars(client, spec, { onProgress: ({ pct }) => void progress.push(pct) }),
    );
    expect(progress.at(-1)).toBe(1);
    expect(pack.bars.length).toBeGreaterThan(10);
    const builder = createBuilder(pack.spec);
    await world.meanwhile(
      (async () => {
        const { firstTs, lastTs } = pack.stats;
        for await (const { ticks } of client.ticks('BTC', { start: firstTs ?? 0, end: (lastTs ?? 0) + 1 })) {
          builder.add(ticks, 0, Math.min(ticks.length, pack.stats.trades - builder.trades));
        }
      })(),
    );
    expect(builder.bars.length).toBe(pack.bars.length);
    for (let i = 0; i < pack.bars.length; i += 1) {
      expect({ ...barAt(builder.bars, i), complete: undefined }).toEqual({
        ...barAt(pack.bars, i),
        complete: undefined,
      });
    }
  });

  it('reports why the service refuses', async () => {
    await expect(world.meanwhile(client.get('/perps/oi/history', { coin: 'NOSUCH' }))).rejects.toMatchObject({
      name: 'ApiError',
      status: 404,
      code: 'not_found',
    });
  });
});

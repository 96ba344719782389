import { barAt, seededRandom } from '@crosstape/core';
import { Client, followBook, GatewayError } from '@crosstape/client';
import { buildBars, type LiveBars, liveBars } from '@crosstape/client/bars';
import { decode } from '@msgpack/msgpack';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { FlakyProxy } from './flaky-proxy.ts';
import { World } from './world.ts';

let world: World;
let proxy: FlakyProxy;

beforeAll(async () => {
  world = await World.open({ rate: 20 });
  await world.until(() => world.isReady(), 20_000);
  proxy = await FlakyProxy.open(world.service.url);
});

afterAll(async () => {
  proxy.close();
  await world.close();
});

function clientOf(options: { readonly isPacked?: boolean } = {}): Client {
  return new Client({
    url: proxy.url,
    clock: world.clock,
    random: seededRandom(5),
    WebSocket,
    ...(options.isPacked && { msgpack: decode }),
  });
}

/** Reads in the background until it is told to stop. */
function reading<Item>(open: (signal: AbortSignal) => AsyncIterable<Item>): {
  readonly items: Item[];
  readonly stop: () => Promise<void>;
} {
  const ending = new AbortController();
  const items: Item[] = [];
  const stopped = new Error('enough');
  const done = (async () => {
    for await (const item of open(ending.signal)) items.push(item);
  })().catch((error: unknown) => {
    if (error !== stopped) throw error;
  });
  const stop = async (): Promise<void> => {
    ending.abort(stopped);
    await world.meanwhile(done);
  };
  return { items, stop };
}

async function cutNowAndThen(cuts: number, random: () => number): Promise<void> {
  for (let cut = 0; cut < cuts; cut += 1) {
    await world.run(1_000 + Math.floor(random() * 3_000));
    proxy.cut();
  }
}

describe.each([{ isPacked: false }, { isPacked: true }])('a socket of the client %j', ({ isPacked }) => {
  it('follows trades exactly, however often its connection breaks or freezes', async () => {
    const client = clientOf({ isPacked });
    const trades = reading((signal) => client.follow('trades', 'btc', {}, { signal }));
    const heard = (): readonly (readonly [number, number | undefined])[] =>
      trades.items.flatMap((item) =>
        item.type === 'data' ? [[item.payload.ts, item.payload.tid] as const] : [],
      );
    await world.until(() => heard().length > 20, 60_000);
    await cutNowAndThen(4, seededRandom(isPacked ? 1 : 2));
    proxy.freeze();
    await world.run(10_000);
    proxy.thaw();
    const before = heard().length;
    await world.until(() => heard().length > before + 300, 60_000);
    await trades.stop();

    // A cut that falls into a wait for the next try is none.
    expect(trades.items.filter(({ type }) => type === 'joined').length).toBeGreaterThan(2);
    expect(trades.items.filter(({ type }) => type === 'gap')).toEqual([]);
    const [first, last] = [heard()[0]?.[0] ?? 0, heard().at(-1)?.[0] ?? 0];
    const tape: (readonly [number, number])[] = [];
    for (let start: number | null = first; start !== null; ) {
      const { body } = await world.json(
        `/perps/trades/history?coin=BTC&format=json&start=${start}&end=${last + 1}`,
      );
      tape.push(...body.data.map(({ ts, tid }) => [ts as number, tid as number] as const));
      start = body.meta.nextStart as number | null;
    }
    const from = tape.findIndex(([, tid]) => tid === heard()[0]?.[1]);
    expect(heard()).toEqual(tape.slice(from, from + heard().length));
  }, 120_000);
});

/** The recorded trades from a time on, as far as the record goes. */
async function recordFrom(startTs: number): Promise<readonly (readonly [ts: number, tid: number])[]> {
  const tape: (readonly [number, number])[] = [];
  for (let start: number | null = startTs; start !== null; ) {
    const { body } = await world.json(`/perps/trades/history?coin=BTC&format=json&start=${start}`);
    tape.push(...body.data.map(({ ts, tid }) => [ts as number, tid as number] as const));
    start = body.meta.nextStart as number | null;
  }
  return tape;
}

describe('readers of one topic', () => {
  it('each get what they ask for, over one subscription and across cuts', async () => {
    const client = clientOf();
    const now = reading((signal) => client.follow('trades', 'BTC', {}, { signal }));
    const countOf = ({ items }: typeof now): number => items.filter(({ type }) => type === 'data').length;
    await world.until(() => countOf(now) > 30, 60_000);
    const first = now.items.find(({ type }) => type === 'data') as { ts: number };
    // Behind the first by some, then one at the present and one further behind than all.
    const since = { ts: first.ts, count: 1 };
    const later = reading((signal) => client.follow('trades', 'BTC', { since }, { signal }));
    await world.until(() => countOf(later) > 10, 60_000);
    const fresh = reading((signal) => client.follow('trades', 'btc', {}, { signal }));
    await world.until(() => countOf(fresh) > 0, 60_000);
    const past = { ts: first.ts - 20_000, count: 0 };
    const early = reading((signal) => client.follow('trades', 'BTC', { since: past }, { signal }));
    await cutNowAndThen(2, seededRandom(11));
    const before = countOf(now);
    await world.until(() => countOf(now) > before + 100, 60_000);
    for (const one of [now, later, fresh, early]) await one.stop();

    const tape = await world.meanwhile(recordFrom(past.ts));
    const heard = ({ items }: typeof now): readonly (readonly [number, number | undefined])[] =>
      items.flatMap((item) => (item.type === 'data' ? [[item.payload.ts, item.payload.tid] as const] : []));
    for (const one of [now, later, fresh, early]) {
      const trades = heard(one);
      expect(trades.length).toBeGreaterThan(100);
      const from = tape.findIndex(([, tid]) => tid === trades[0]?.[1]);
      expect(trades).toEqual(tape.slice(from, from + trades.length));
    }
    expect(heard(early)[0]).toEqual(tape[0]);
    const at = tape.findIndex(([, tid]) => tid === heard(now)[0]?.[1]);
    expect(tape.slice(0, at + 2)).toContainEqual(heard(later)[0]);
  }, 120_000);
});

describe('live bars', () => {
  it("are the service's own, across a forced reconnect", async () => {
    const client = clientOf();
    const spec = { coin: 'BTC', kind: 'tick', params: { trades: 25 }, days: 0.5 } as const;
    const live = reading<LiveBars>((signal) => liveBars(client, spec, { signal }));
    // The build takes time of its own, while the world goes on.
    await world.until(() => live.items.length > 3, 20 * 60_000);
    const built = live.items[0]?.closed.length ?? 0;
    await cutNowAndThen(3, seededRandom(3));
    await world.until(
      () => live.items.reduce((sum, { closed }) => sum + closed.length, 0) > built + 20,
      60_000,
    );
    await live.stop();

    const ours = live.items.flatMap(({ closed }) => closed);
    expect(ours.map(({ index }) => index)).toEqual(ours.map((_, i) => i));
    // Both windows begin before the record does, so both builds begin with its first trade.
    const fresh = await world.meanwhile(buildBars(client, { ...spec, days: 0.4 }));
    const theirs = Array.from({ length: fresh.bars.length }, (_, i) => barAt(fresh.bars, i));
    const plain = ({ complete: _, ...bar }: (typeof theirs)[number]) => bar;
    expect(ours.map(plain)).toEqual(theirs.slice(0, ours.length).map(plain));
  }, 180_000);
});

describe('a local book', () => {
  it('is proven by every keyframe, also after the connection broke', async () => {
    const client = clientOf();
    const books = reading((signal) => followBook(client, 'ETH', { signal }));
    await world.until(() => (books.items.at(-1)?.proofs ?? 0) >= 1, 120_000);
    proxy.cut();
    const before = books.items.at(-1)?.proofs ?? 0;
    await world.until(() => (books.items.at(-1)?.proofs ?? 0) > before, 120_000);
    await books.stop();
    const book = books.items.at(-1);
    expect(book?.breaks).toBe(0);
    expect(book?.bids.length).toBeGreaterThan(5);
    expect((book?.bids[0]?.[0] ?? Infinity) < (book?.asks[0]?.[0] ?? 0)).toBe(true);
  }, 120_000);
});

describe('what the gateway refuses', () => {
  it('ends the reading with its reason, and leaves the others alone', async () => {
    const client = clientOf();
    const marks = reading((signal) => client.follow('markPrice', 'BTC', {}, { signal }));
    const unknown = client.follow('trades', 'NOSUCH');
    await expect(world.meanwhile(unknown.next())).rejects.toMatchObject({
      name: 'GatewayError',
      code: 'unknown_symbol',
    });
    await expect(world.meanwhile(unknown.next())).resolves.toMatchObject({ done: true });
    await world.until(() => marks.items.some(({ type }) => type === 'data'), 60_000);
    await marks.stop();
    expect(new GatewayError('x', 'y')).toBeInstanceOf(Error);
  });
});

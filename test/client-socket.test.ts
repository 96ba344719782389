import { barAt, Footprint, seededRandom } from '@crosstape/core';
import { type ChannelName, Client, followBook, GatewayError, type ParamsOf } from '@crosstape/client';
import { buildBars, type LiveBars, liveBars, liveFootprints } from '@crosstape/client/bars';
import { decode } from '@msgpack/msgpack';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { FlakyProxy } from './flaky-proxy.ts';
import { fewCoins } from './world-coins.ts';
import { World } from './world.ts';

let world: World;
let proxy: FlakyProxy;

beforeAll(async () => {
  world = await World.open({ coins: fewCoins, rate: 8 });
  await world.until(() => world.isReady(), 20_000);
  proxy = await FlakyProxy.open(world.service.url);
});

afterAll(async () => {
  proxy.close();
  await world.close();
});

const venue = 'hyperliquid';

/** Loses one frame of the gateway on the way. */
class LossySocket extends WebSocket {
  static isLosing = false;

  override emit(event: string, ...args: unknown[]): boolean {
    if (event !== 'message' || !LossySocket.isLosing || !String(args[0]).includes('"kind":"delta"'))
      return super.emit(event, ...args);
    LossySocket.isLosing = false;
    return true;
  }
}

function clientOf(options: { readonly isPacked?: boolean } = {}): Client {
  return new Client({
    url: proxy.url,
    clock: world.clock,
    random: seededRandom(5),
    WebSocket,
    ...(options.isPacked && { msgpack: decode }),
  });
}

/** Reads in the background until it is stopped. */
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
    const received = (): readonly (readonly [number, number | undefined])[] =>
      trades.items.flatMap((item) =>
        item.type === 'data' ? [[item.payload.ts, item.payload.tid] as const] : [],
      );
    await world.until(() => received().length > 20, 60_000);
    // The venue itself stutters meanwhile: its frames come twice, or break off, or stay away.
    world.simulator.faults.add({ venue, part: 'ws', fault: 'duplicate', probability: 0.5, forMs: 20_000 });
    world.simulator.faults.add({ venue, part: 'ws', fault: 'cut', probability: 0.005, forMs: 10_000 });
    await cutNowAndThen(4, seededRandom(isPacked ? 1 : 2));
    world.simulator.faults.add({ venue, part: 'ws', fault: 'freeze', forMs: 5_000 });
    await world.run(5_000);
    proxy.freeze();
    await world.run(10_000);
    proxy.thaw();
    const before = received().length;
    await world.until(() => received().length > before + 300, 60_000);
    await trades.stop();

    // A cut that falls into a wait for the next try is none.
    expect(trades.items.filter(({ type }) => type === 'joined').length).toBeGreaterThan(2);
    const [first, last] = [received()[0]?.[0] ?? 0, received().at(-1)?.[0] ?? 0];
    const tape: (readonly [number, number])[] = [];
    for (let start: number | null = first; start !== null; ) {
      const { body } = await world.json(
        `/perps/trades/history?coin=BTC&format=json&start=${start}&end=${last + 1}`,
      );
      tape.push(...body.data.map(({ ts, tid }) => [ts as number, tid as number] as const));
      start = body.meta.nextStart as number | null;
    }
    const from = tape.findIndex(([, tid]) => tid === received()[0]?.[1]);
    expect(received()).toEqual(tape.slice(from, from + received().length));
  });
});

/** The recorded trades from a time on, as far as the record goes. */
async function recordFrom(
  startTs: number,
  coin = 'BTC',
): Promise<readonly (readonly [ts: number, tid: number])[]> {
  const tape: (readonly [number, number])[] = [];
  for (let start: number | null = startTs; start !== null; ) {
    const { body } = await world.json(`/perps/trades/history?coin=${coin}&format=json&start=${start}`);
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
    const received = ({ items }: typeof now): readonly (readonly [number, number | undefined])[] =>
      items.flatMap((item) => (item.type === 'data' ? [[item.payload.ts, item.payload.tid] as const] : []));
    for (const one of [now, later, fresh, early]) {
      const trades = received(one);
      expect(trades.length).toBeGreaterThan(100);
      const from = tape.findIndex(([, tid]) => tid === trades[0]?.[1]);
      expect(trades).toEqual(tape.slice(from, from + trades.length));
    }
    expect(received(early)[0]).toEqual(tape[0]);
    const at = tape.findIndex(([, tid]) => tid === received(now)[0]?.[1]);
    expect(tape.slice(0, at + 2)).toContainEqual(received(later)[0]);
  });
});

describe('two spellings of one topic', () => {
  interface Spelling {
    readonly symbol: string;
    readonly params?: object;
  }

  it.each<readonly [ChannelName, Spelling, Spelling]>([
    ['candles', { symbol: 'BTC' }, { symbol: 'btc', params: { interval: '1m' } }],
    ['orderbook', { symbol: 'ETH', params: { mode: 'full' } }, { symbol: 'ETH' }],
    [
      'candles',
      { symbol: 'PEPE', params: { interval: '5m' } },
      { symbol: 'kPEPE', params: { interval: '5m' } },
    ],
  ])('of %s deliver the same, %j and %j', async (channel, one, other) => {
    const client = clientOf();
    const [first, second] = [one, other].map(({ symbol, params = {} }) =>
      reading((signal) => client.follow(channel, symbol, params as ParamsOf<ChannelName>, { signal })),
    );
    if (!first || !second) throw new Error('there are two of them');
    const answer = ({ items }: typeof first): number => items.filter(({ type }) => type === 'data').length;
    const more = async (count: number, ...readers: readonly (typeof first)[]): Promise<void> => {
      const before = readers.map(answer);
      await world.until(
        () => readers.every((reader, i) => answer(reader) >= (before[i] ?? 0) + count),
        120_000,
      );
    };
    await more(5, first, second);
    proxy.cut();
    await more(5, first, second);
    // The first one, perhaps another when they were joined, and one after the cut.
    for (const { items } of [first, second])
      expect(items.filter(({ type }) => type === 'joined').length).toBeLessThanOrEqual(3);
    await first.stop();
    await more(5, second);
    await second.stop();
  });

  it.each([
    ['at once', 0],
    ['while the other is read', 5_000],
  ])('of trades bring each reader what it requested, %s', async (_, afterMs) => {
    const client = clientOf();
    const now = reading((signal) => client.follow('trades', 'PEPE', {}, { signal }));
    await world.run(afterMs);
    const since = { ts: world.clock.now() - 20_000, count: 0 };
    const past = reading((signal) => client.follow('trades', 'kPEPE', { since }, { signal }));
    const fresh = reading((signal) => client.follow('trades', 'kPEPE', {}, { signal }));
    const received = ({ items }: typeof now): readonly (readonly [number, number | undefined])[] =>
      items.flatMap((item) => (item.type === 'data' ? [[item.payload.ts, item.payload.tid] as const] : []));
    const all = [now, past, fresh];
    await world.until(() => all.every((one) => received(one).length > 5), 120_000);
    proxy.cut();
    const before = received(now).length;
    await world.until(() => received(now).length > before + 5, 120_000);
    await now.stop();
    const left = received(past).length;
    await world.until(() => received(past).length > left + 5, 120_000);
    for (const one of [past, fresh]) await one.stop();

    const tape = await world.meanwhile(recordFrom(since.ts, 'kPEPE'));
    expect(received(past)[0]).toEqual(tape[0]);
    for (const one of all) {
      const from = tape.findIndex(([, tid]) => tid === received(one)[0]?.[1]);
      expect(received(one)).toEqual(tape.slice(from, from + received(one).length));
    }
  });
});

describe('live footprints', () => {
  it('are those of the record, however often the connection breaks', async () => {
    const client = clientOf();
    const spec = { coin: 'BTC', interval: '1s', past: 5 } as const;
    const live = reading((signal) => liveFootprints(client, spec, { signal }));
    const bars = () => new Map(live.items.flat().map((bar) => [bar.openTs, bar]));
    await world.until(() => bars().size > 10, 60_000);
    await cutNowAndThen(3, seededRandom(21));
    const before = bars().size;
    await world.until(() => bars().size > before + 8, 60_000);
    await live.stop();

    const answer = [...bars().values()].slice(0, -1);
    const start = answer[0]?.openTs ?? 0;
    const end = (answer.at(-1)?.closeTs ?? 0) + 1;
    const sums = new Map<number, Footprint>();
    const read = async (): Promise<void> => {
      for await (const { ticks } of client.ticks('BTC', { start, end })) {
        for (let i = 0; i < ticks.length; i += 1) {
          const openTs = Math.floor((ticks.ts[i] as number) / 1_000) * 1_000;
          const footprint = sums.get(openTs) ?? new Footprint();
          sums.set(openTs, footprint);
          footprint.add(ticks, i, i + 1);
        }
      }
    };
    await world.meanwhile(read());
    expect(answer).toEqual(
      [...sums].map(([openTs, footprint]) => ({
        interval: '1s',
        openTs,
        closeTs: openTs + 999,
        ...footprint.totals(),
        closed: true,
      })),
    );
  });
});

describe('live bars', () => {
  it("are the service's own, complete or not, across reconnects here and a gap at the venue", async () => {
    const client = clientOf();
    const spec = { coin: 'BTC', kind: 'tick', params: { trades: 5 }, days: 0.5 } as const;
    const live = reading<LiveBars>((signal) => liveBars(client, spec, { signal }));
    // The build takes time of its own, while the world continues.
    await world.until(() => live.items.length > 3, 20 * 60_000);
    const built = live.items[0]?.closed.length ?? 0;
    const closed = (): number => live.items.reduce((sum, item) => sum + item.closed.length, 0);
    await cutNowAndThen(2, seededRandom(3));
    const again = closed();
    await world.until(() => closed() > again + 2, 60_000);
    world.simulator.faults.add({ venue, part: 'ws', fault: 'cut', forMs: 2_000 });
    world.simulator.faults.add({ venue, part: 'ws', fault: 'refuse', forMs: 20_000 });
    await world.run(25_000);
    const before = closed();
    await world.until(() => closed() > before + 20, 120_000);
    // The gap was sent to a connected client, and not again to one that came back.
    await cutNowAndThen(1, seededRandom(4));
    const after = closed();
    await world.until(() => closed() > after + 5, 60_000);
    await live.stop();

    const ours = live.items.flatMap((item) => item.closed);
    expect(ours.length).toBeGreaterThan(built + 20);
    expect(ours.map(({ index }) => index)).toEqual(ours.map((_, i) => i));
    const amended = live.items.flatMap((item) => item.amended);
    // A bar had closed just before the venue went, within the second that does not count as received for certain.
    expect(amended).not.toEqual([]);
    for (const bar of amended) ours[bar.index] = bar;
    // Both windows begin before the record does, so both builds begin with its first trade.
    const fresh = await world.meanwhile(buildBars(client, { ...spec, days: 0.4 }));
    const theirs = Array.from({ length: fresh.bars.length }, (_, i) => barAt(fresh.bars, i));
    expect(ours).toEqual(theirs.slice(0, ours.length));
    const [first] = ours.filter(({ index, complete }) => index > built && !complete);
    expect(first).toBeDefined();
    expect(ours.at(-1)?.complete).toBe(true);
  });
});

describe('a local book', () => {
  it('is proven by every keyframe, also after a frame was lost and after the connection broke', async () => {
    const client = new Client({ url: proxy.url, clock: world.clock, WebSocket: LossySocket });
    const items = reading((signal) => client.follow('orderbook', 'ETH', { mode: 'delta' }, { signal }));
    const books = reading((signal) => followBook(client, 'ETH', { signal }));
    const joins = (): number => items.items.filter(({ type }) => type === 'joined').length;
    const proofs = (): number => books.items.at(-1)?.proofs ?? 0;
    await world.until(() => proofs() >= 1, 120_000);
    for (const lose of [() => (LossySocket.isLosing = true), () => proxy.cut()]) {
      const before = { joins: joins(), proofs: proofs() };
      lose();
      await world.until(() => joins() > before.joins, 60_000);
      await world.until(() => proofs() > before.proofs, 120_000);
    }
    for (const one of [items, books]) await one.stop();
    expect(LossySocket.isLosing).toBe(false);
    const book = books.items.at(-1);
    expect(book?.breaks).toBe(0);
    expect(book?.bids.length).toBeGreaterThan(5);
    expect((book?.bids[0]?.[0] ?? Infinity) < (book?.asks[0]?.[0] ?? 0)).toBe(true);
  });
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

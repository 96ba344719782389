import { applyDelta, BOOK_LEVELS_MAX, type BookLevel, type BookSides } from '@crosstape/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { fewCoins } from './world-coins.ts';
import { World } from './world.ts';

/** From the simulated venue's wire to a client of the gateway, over real sockets on both sides. */

const COINS = ['BTC', 'kPEPE'];
const TOP_LEVELS = 5;

interface Payload extends BookSides {
  readonly kind?: 'snapshot' | 'delta';
  readonly ts: number;
  readonly deepTs?: number;
  readonly stale?: true;
}

interface Frame {
  readonly type: string;
  readonly symbol: string;
  readonly seq: number;
  readonly payload: Payload;
}

/** A client written only from the documentation of `orderbook`. */
class Client {
  readonly frames: Frame[] = [];
  readonly books = new Map<string, BookSides & { readonly seq: number }>();
  readonly keyframes = new Map<string, number[]>();
  readonly #socket: WebSocket;

  constructor(url: string, mode: 'full' | 'delta') {
    this.#socket = new WebSocket(`${url.replace('http', 'ws')}/ws/v1`);
    this.#socket.on('open', () => {
      for (const symbol of COINS)
        this.#socket.send(
          JSON.stringify({ op: 'subscribe', id: symbol, channel: 'orderbook', symbol, mode }),
        );
    });
    this.#socket.on('message', (data: Buffer) => {
      const frame = JSON.parse(data.toString()) as Frame;
      if (frame.type === 'data') this.#take(frame);
      this.frames.push(frame);
    });
  }

  of(symbol: string): readonly Frame[] {
    return this.frames.filter((frame) => frame.type === 'data' && frame.symbol === symbol);
  }

  close(): void {
    this.#socket.terminate();
  }

  #take({ symbol, seq, payload }: Frame): void {
    const before = this.books.get(symbol);
    if (before) expect(seq).toBe(before.seq + 1);
    const { bids, asks, kind, ts } = payload;
    if (kind === 'delta') {
      if (!before) expect.fail('a delta came before any keyframe');
      this.books.set(symbol, { ...applyDelta(before, payload), seq });
      return;
    }
    if (kind === 'snapshot') {
      this.keyframes.set(symbol, [...(this.keyframes.get(symbol) ?? []), ts]);
      if (before) expect({ bids: before.bids, asks: before.asks }).toEqual({ bids, asks });
    }
    this.books.set(symbol, { bids, asks, seq });
  }
}

let world: World;
const clients: Client[] = [];

beforeEach(async () => {
  world = await World.open({ coins: fewCoins, rate: 0.5, stepMs: 100 });
  await world.until(() => world.isReady(), 60_000);
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await world.close();
});

async function connect(mode: 'full' | 'delta'): Promise<Client> {
  const client = new Client(world.service.url, mode);
  clients.push(client);
  await world.until(() => COINS.every((coin) => client.books.has(coin)), 10_000);
  return client;
}

/** The best levels of the market at that time of the venue's. */
function marketTop(coin: string, ts: number): BookSides {
  const { bids, asks } = world.simulator.market.book(coin, ts, BOOK_LEVELS_MAX);
  const levels = (side: typeof bids): BookLevel[] =>
    side.slice(0, TOP_LEVELS).map(({ price, size, orders }) => [price, size, orders]);
  return { bids: levels(bids), asks: levels(asks) };
}

function expectTop(client: Client): void {
  for (const coin of COINS) {
    const { bids, asks } = client.books.get(coin) as BookSides;
    const ts = (client.of(coin).at(-1) as Frame).payload.ts;
    expect({ bids: bids.slice(0, TOP_LEVELS), asks: asks.slice(0, TOP_LEVELS) }).toEqual(marketTop(coin, ts));
  }
}

describe('the order book', () => {
  it('is the same from deltas as whole, and is the market of the venue', async () => {
    const [delta, full] = [await connect('delta'), await connect('full')];
    for (let round = 0; round < 7; round += 1) {
      await world.run(10_000);
      for (const coin of COINS) {
        const { seq: _, ...followed } = delta.books.get(coin)!;
        const { seq: __, ...whole } = full.books.get(coin)!;
        expect(followed).toEqual(whole);
      }
      expectTop(delta);
    }
    for (const coin of COINS) {
      const frames = delta.of(coin);
      expect(frames.length).toBeGreaterThan(100);
      expect(delta.keyframes.get(coin)!.length).toBeGreaterThanOrEqual(3);
      for (const { payload } of frames) {
        expect(payload.stale).toBeUndefined();
        expect(payload.bids.length).toBeLessThanOrEqual(2 * BOOK_LEVELS_MAX);
      }
      const bytes = (client: Client): number =>
        JSON.stringify(client.of(coin)).length / client.of(coin).length;
      expect(bytes(delta)).toBeLessThan(bytes(full));
    }
    expect(world.simulator.violations['hyperliquid']).toEqual({});
  });

  it('is called stale while the venue is away, and continues without a missing frame when it is back', async () => {
    const client = await connect('delta');
    await world.run(10_000);
    world.simulator.faults.add({ venue: 'hyperliquid', fault: 'refuse', forMs: 15_000 });
    world.simulator.faults.add({ venue: 'hyperliquid', fault: 'cut', part: 'ws', forMs: 1_000 });
    const isStale = (coin: string): boolean => client.of(coin).at(-1)?.payload.stale === true;
    await world.until(() => COINS.every(isStale), 5_000);
    const backMs = world.clock.now() + 15_000;
    await world.until(() => COINS.every((coin) => !isStale(coin)), 60_000);
    await world.run(20_000);
    expectTop(client);
    for (const coin of COINS) {
      const { deepTs } = client.of(coin).at(-1)!.payload;
      expect(deepTs).toBeGreaterThan(backMs);
    }
    const late = await connect('full');
    await world.run(1_000);
    for (const coin of COINS) {
      const { seq: _, ...followed } = client.books.get(coin)!;
      expect(late.books.get(coin)).toMatchObject(followed);
    }
  });
});

import { applyDelta, BOOK_LEVELS_MAX, type Book, type BookLevel, type BookSides } from '@crosstape/core';
import { createMarket } from '@crosstape/simulator';
import { afterEach, describe, expect, test } from 'vitest';
import { bookTopic } from '../../../topics.ts';
import { GatewayService, START_MS } from '../../../gateway/testing/gateway-service.ts';
import type { WsClient } from '../../../gateway/testing/ws-client.ts';

let service: GatewayService;
afterEach(() => service.close());

const market = createMarket({ seed: 11, rate: 1 });
const BLOCK_MS = 128;
const LAST_BLOCK = 50;

/** The simulated market's book a number of blocks after the start. */
function bookOf(block: number, coin = 'BTC'): Book {
  const { ts, bids, asks } = market.book(coin, START_MS + block * BLOCK_MS, BOOK_LEVELS_MAX);
  const levels = (side: typeof bids): BookLevel[] =>
    side.map(({ price, size, orders }) => [price, size, orders]);
  return { coin, venue: 'hyperliquid', ts, deepTs: ts, bids: levels(bids), asks: levels(asks) };
}

function publishBook(book: Book): void {
  service.bus.publish(bookTopic(book.coin), book);
}

/** Lets published messages be written. */
async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

interface Payload extends BookSides {
  readonly kind?: 'snapshot' | 'delta';
  readonly ts: number;
}

/** Time of the newest frame, if it carries a book. */
function lastTs(client: WsClient): number | undefined {
  return (client.frames.at(-1)?.payload as Payload | undefined)?.ts;
}

/** A client's book: checks every keyframe against its state, and that no frame is missing. */
class Held {
  readonly #client: WsClient;
  #seen = 0;
  #seq: number | undefined;
  book: BookSides | undefined;
  keyframes = 0;
  skipped = 0;

  constructor(client: WsClient) {
    this.#client = client;
  }

  read(): void {
    for (const frame of this.#client.frames.slice(this.#seen)) {
      this.#seen += 1;
      if (frame.type === 'lagged') {
        this.skipped += frame.skipped as number;
        this.#seq = undefined;
        this.book = undefined;
      }
      if (frame.type !== 'data') continue;
      const { seq, payload } = frame as unknown as { readonly seq: number; readonly payload: Payload };
      if (this.#seq !== undefined) expect(seq).toBe(this.#seq + 1);
      this.#seq = seq;
      this.#take(payload);
    }
  }

  #take(payload: Payload): void {
    const { kind = 'snapshot', bids, asks } = payload;
    if (kind === 'delta') {
      expect(this.book).toBeDefined();
      this.book = applyDelta(this.book!, payload);
      return;
    }
    this.keyframes += 1;
    if (this.book && payload.kind) expect(this.book).toEqual({ bids, asks });
    this.book = { bids, asks };
  }
}

async function join(frame: Record<string, unknown> = {}, format?: 'msgpack'): Promise<[WsClient, Held]> {
  const client = await service.connect();
  if (format) await client.ask({ op: 'auth', id: 0, format });
  const asked = { op: 'subscribe', id: 1, channel: 'orderbook', symbol: 'BTC', mode: 'delta', ...frame };
  expect(await client.ask(asked)).toMatchObject({ type: 'ack', mode: asked.mode });
  return [client, new Held(client)];
}

describe('over a real socket', () => {
  test('clients that join at any time, in both formats, hold the same book as full-mode clients', async () => {
    service = await GatewayService.start();
    const joined = [await join(), await join({ mode: 'full' })];
    for (let block = 0; block < 600; block += 1) {
      publishBook(bookOf(block));
      service.clock.advance(BLOCK_MS);
      if (block === 200) joined.push(await join({}, 'msgpack'));
      if (block === 400) joined.push(await join());
      await turn();
    }
    const { bids, asks, ts } = bookOf(599);
    for (const [client, held] of joined) {
      await client.until(() => lastTs(client) === ts);
      held.read();
      expect(held.book).toEqual({ bids, asks });
      expect(held.skipped).toBe(0);
    }
    // One on joining, and one each 30 s of 77.
    expect(joined.map(([, { keyframes }]) => keyframes)).toEqual([3, 600, 3, 2]);
    const sizes = joined[0]![0].data('orderbook').map(({ payload }) => JSON.stringify(payload).length);
    expect(Math.min(...sizes)).toBeLessThan(200);
  });

  test('a client that does not read learns how much it missed, and continues from a snapshot', async () => {
    service = await GatewayService.start();
    const [fast, follower] = await join();
    const [slow, held] = await join();
    const [whole, wholly] = await join({ mode: 'full' });
    for (const client of [slow, whole]) client.ws.pause();
    // Books with nothing in common make large deltas.
    const books = Array.from({ length: 50 }, (_, i) => bookOf(5_000 * i));
    for (let round = 0; service.gateway.counts().skipped! < 5_000; round += 1) {
      for (const [i, book] of books.entries())
        publishBook({ ...book, ts: START_MS + books.length * round + i });
      const ts = START_MS + books.length * round + books.length - 1;
      await fast.until(() => lastTs(fast) === ts);
    }
    for (const client of [slow, whole]) client.ws.resume();
    for (const [client, mode] of [
      [slow, 'delta'],
      [whole, 'full'],
    ] as const) {
      await client.until(() => client.of('lagged').length > 0);
      expect(client.of('lagged')[0]).toMatchObject({ channel: 'orderbook', symbol: 'BTC', mode });
    }
    for (let block = 0; block <= LAST_BLOCK; block += 1) {
      publishBook(bookOf(block));
      await turn();
    }
    const { bids, asks, ts } = bookOf(LAST_BLOCK);
    for (const [client, own] of [
      [fast, follower],
      [slow, held],
      [whole, wholly],
    ] as const) {
      await client.until(() => lastTs(client) === ts);
      own.read();
      expect(own.book).toEqual({ bids, asks });
    }
    expect([follower.skipped, held.skipped > 0, wholly.skipped > 0]).toEqual([0, true, true]);
  });

  test('one book too many is refused in a sentence, and there is room when another is left', async () => {
    const coins = Array.from({ length: 201 }, (_, i) => `C${i}`);
    service = await GatewayService.start({ coins });
    const client = await service.connect();
    const ask = (op: string, symbol: string) =>
      client.ask({ op, id: `${op} ${symbol}`, channel: 'orderbook', symbol });
    for (const coin of coins.slice(0, 200))
      expect(await ask('subscribe', coin)).toMatchObject({ type: 'ack' });
    expect(await ask('subscribe', 'C200')).toMatchObject({
      type: 'error',
      code: 'rate_limited',
      message: expect.stringContaining('Order books of 200 coins'),
    });
    await ask('unsubscribe', 'C7');
    expect(
      await client.ask({ op: 'subscribe', id: 'again', channel: 'orderbook', symbol: 'c200' }),
    ).toMatchObject({
      type: 'ack',
      symbol: 'C200',
      mode: 'full',
    });
  });
});

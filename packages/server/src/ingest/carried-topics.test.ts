import { EventEmitter } from 'node:events';
import { ManualClock, seededRandom } from '@crosstape/core';
import { venues } from '@crosstape/venues';
import { expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { FeedGroup } from './feed-group.ts';
import type { CarriedTopics, FeedChange } from './feed-sink.ts';
import { VenueGate } from './venue-gate.ts';
import type { SourceMeter } from './venue-health.ts';
import { quiet } from './testing/rig.ts';

const T = 1_790_000_000_000;
const MARKETS = 40;
const mexc = venues.find(({ id }) => id === 'mexc')!;
const feed = mexc.connector!.marketTrades!;

/** Answers every subscription at once, and names no market in the answer. */
class FakeSocket extends EventEmitter {
  readyState = 0;
  readonly #sent: (symbol: string) => void;

  constructor(sent: (symbol: string) => void) {
    super();
    this.#sent = sent;
    setImmediate(() => {
      this.readyState = 1;
      this.emit('open');
    });
  }

  send(text: string): void {
    const frame = JSON.parse(text) as { readonly method: string; readonly param?: { symbol: string } };
    if (frame.method === 'ping') return this.say({ channel: 'pong', data: 1 });
    this.#sent(frame.param?.symbol ?? '');
    setImmediate(() => this.say({ channel: 'rs.sub.deal', data: 'success', ts: 1 }));
  }

  say(frame: object): void {
    this.emit('message', Buffer.from(JSON.stringify(frame)), false);
  }

  terminate(): void {
    this.readyState = 3;
    this.emit('close', 1006, Buffer.from(''));
  }
}

it('reports each market when its own subscription is answered, and which wait when the feed comes up', async () => {
  const clock = new ManualClock(T);
  const sentMs = new Map<string, number>();
  const carriedMs = new Map<string, number>();
  const ups: FeedChange[] = [];
  const symbols = Array.from({ length: MARKETS }, (_, i) => `C${i}_USDT`);
  const group = new FeedGroup({
    venue: 'mexc',
    feed,
    origin: 'ws://venue',
    gate: new VenueGate({ connector: mexc.connector!, clock, random: seededRandom(1) }),
    clock,
    random: seededRandom(1),
    openMeter: () =>
      ({ turn: () => {}, countGood: () => {}, countReconnect: () => {} }) as unknown as SourceMeter,
    warn: () => {},
    known: () => ({}),
    sink: (event) => {
      if (event.type === 'feed' && event.kind === 'up') ups.push(event);
      if (event.type === 'carried') noteCarried(event);
    },
    connect: () => new FakeSocket((symbol) => sentMs.set(symbol, clock.now())) as unknown as WebSocket,
  });
  function noteCarried({ topics, atMs }: CarriedTopics): void {
    for (const topic of topics) carriedMs.set(topic, atMs);
  }
  group.list(symbols.map((symbol) => ({ coin: symbol, symbol, quote: 'USDT' })));
  for (let i = 0; i < 1_000 && carriedMs.size < MARKETS; i += 1) {
    await quiet();
    clock.advance(250);
  }
  const [up] = ups;
  expect(ups).toHaveLength(1);
  expect(up?.awaiting).toEqual(symbols.slice(MARKETS - (up?.awaiting?.length ?? 0)));
  expect(up?.awaiting?.length).toBeGreaterThan(MARKETS / 2);
  const last = symbols.at(-1)!;
  expect(sentMs.get(last)! - up!.atMs).toBeGreaterThan(20_000);
  for (const symbol of symbols) {
    expect(carriedMs.get(symbol)).toBeGreaterThanOrEqual(sentMs.get(symbol)!);
    expect(carriedMs.get(symbol)! - sentMs.get(symbol)!).toBeLessThanOrEqual(250);
  }
  await Promise.race([group.stop(), quiet(200)]);
});

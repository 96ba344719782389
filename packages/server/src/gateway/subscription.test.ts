import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { beforeEach, expect, it } from 'vitest';
import { WriteScheduler } from '../platform/write-scheduler.ts';
import { markPrice } from '../features/perps/channels/mark-price.ts';
import { Outbox, UNREAD_BYTES_MAX, Writer } from './outbox.ts';
import { Subscription } from './subscription.ts';
import { Topic } from './topic.ts';

const STATES = 8;
const HIGH_WATER_BYTES = 16_384;
const text = 'x'.repeat(UNREAD_BYTES_MAX / 4);
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A connection that accepts any write; after a large one it is blocked until it is drained. */
class SlowSocket extends EventEmitter {
  readonly writableEnded = false;
  writableLength = 0;
  isCloseSent = false;
  written = '';

  write(bytes: Buffer): boolean {
    this.written += bytes.toString('latin1');
    return bytes.length < HIGH_WATER_BYTES;
  }

  /** What was written since the last call: types, symbols and seqs. */
  take(): readonly string[] {
    const found = this.written.matchAll(
      /"type":"(\w+)","channel":"markPrice","symbol":"(\w+)","(\w+)":(\d+)/g,
    );
    this.written = '';
    return [...found].map(([, type, symbol, name, value]) => `${type} ${symbol} ${name} ${value}`);
  }

  async drain(): Promise<readonly string[]> {
    this.emit('drain');
    // One turn for queued data, another for what follows.
    await turn();
    await turn();
    return this.take();
  }
}

let socket: SlowSocket;
let outbox: Outbox;
let overflows: number;
let topics: readonly Topic[];
let subscriptions: readonly Subscription[];
beforeEach(() => {
  const scheduler = new WriteScheduler();
  socket = new SlowSocket();
  overflows = 0;
  outbox = new Outbox({
    socket: socket as unknown as Socket,
    writer: new Writer(scheduler),
    onOverflow: () => {
      overflows += 1;
    },
    isCloseSent: () => socket.isCloseSent,
  });
  topics = Array.from({ length: STATES }, (_, n) => {
    const topic = new Topic({ channel: markPrice, request: { symbol: `C${n}` }, scheduler, seq: 10 });
    topic.begin({ snapshot: () => ({ ts: 1, payload: { text } }), close: () => undefined });
    return topic;
  });
  subscriptions = topics.map((topic) => new Subscription(topic, outbox));
});

const nothing = Buffer.from('-');
/** Drains the connection write by write, with small frames in between, and returns everything written. */
async function readAll(): Promise<readonly string[]> {
  const all: string[] = [];
  for (let n = 0; n < 2 * STATES + 2; n += 1) {
    all.push(...(await socket.drain()));
    outbox.send(nothing);
  }
  expect(overflows).toBe(0);
  return all;
}

it('joins where there is room for the state, however many come at once', async () => {
  for (const subscription of subscriptions) subscription.join();
  for (const topic of topics) topic.publish({ ts: 2, payload: {} });
  const all = await readAll();
  // The first began before the update, the others with it.
  expect(all).toEqual([
    'data C0 seq 10',
    'data C0 seq 11',
    ...topics.slice(1).map(({ request }) => `data ${request.symbol} seq 11`),
  ]);
});

it('catches up on one state after the other', async () => {
  for (const subscription of subscriptions) subscription.join();
  await readAll();
  outbox.send(Buffer.from(text));
  await turn();
  // The connection is busy with the first write; this one waits.
  outbox.send(Buffer.from(text));
  for (const topic of topics) {
    topic.publish({ ts: 2, payload: {} });
    topic.publish({ ts: 3, payload: {} });
    topic.flush();
  }
  // A client that requests the state now gets the number of skipped frames once, and the state.
  subscriptions[0]?.announceState();
  const all = await readAll();
  expect(all).toEqual(
    topics.flatMap(({ request }) => [`lagged ${request.symbol} skipped 2`, `data ${request.symbol} seq 12`]),
  );
});

it('sends a requested state when there is room, and meanwhile continues', async () => {
  const [topic, subscription] = [topics[0] as Topic, subscriptions[0] as Subscription];
  subscription.join();
  await readAll();
  outbox.send(Buffer.from(text));
  subscription.announceState();
  topic.publish({ ts: 2, payload: {} });
  topic.flush();
  expect(await readAll()).toEqual(['data C0 seq 11', 'data C0 seq 11']);
});

it('does not join any more once it is over', async () => {
  for (const subscription of subscriptions) subscription.join();
  for (const subscription of subscriptions.slice(1)) subscription.end();
  expect(await readAll()).toEqual(['data C0 seq 10']);
});

it('leaves out what many large states say at once, rather than give up on a client that reads', async () => {
  for (const subscription of subscriptions) subscription.join();
  await readAll();
  for (const topic of topics) topic.publish({ ts: 2, payload: { text } });
  await turn();
  await turn();
  const first = socket.take();
  outbox.send(nothing);
  const all = [...first, ...(await readAll())];
  for (let n = 0; n < STATES; n += 1)
    expect(all.some((frame) => frame.startsWith('data') && frame.includes(`C${n} `))).toBe(true);
  expect(all.some((frame) => frame.startsWith('lagged'))).toBe(true);
});

it.each([0, 100])('writes after a close frame only if nothing is queued (%i bytes are)', async (waiting) => {
  subscriptions[0]?.join();
  await readAll();
  await turn();
  socket.isCloseSent = true;
  socket.writableLength = waiting;
  socket.written = '';
  outbox.send(Buffer.from('late'));
  await turn();
  expect(socket.written).toBe(waiting === 0 ? 'late' : '');
  expect(outbox.isClosed).toBe(waiting > 0);
});

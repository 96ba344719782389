import { expect, it } from 'vitest';
import { Turns } from '../transport/sse-turns.ts';
import { markPrice } from './channels/mark-price.ts';
import { trades } from './channels/trades.ts';
import { type Follower, Topic } from './topic.ts';

/** Somebody who notes the seqs of what comes. */
function follower(): Follower & { readonly seqs: number[]; readonly buffers: Buffer[] } {
  const seqs: number[] = [];
  const buffers: Buffer[] = [];
  return {
    format: 'json',
    seqs,
    buffers,
    deliver(bytes) {
      buffers.push(bytes);
      for (const [, seq] of bytes.toString('latin1').matchAll(/"seq":(\d+)/g)) seqs.push(Number(seq));
    },
  };
}

const update = { ts: 1, payload: { price: 1 } };
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('gives those who join nothing of what was published before, though others have yet to get it', async () => {
  const topic = new Topic({ channel: trades, ask: { symbol: 'BTC' }, turns: new Turns(), seq: 10 });
  const [early, late] = [follower(), follower()];
  topic.join(early);
  topic.publish(update);
  topic.join(late);
  topic.publish(update);
  await nextTurn();
  expect(early.seqs).toEqual([11, 12]);
  expect(late.seqs).toEqual([12]);
});

it('hands the very same bytes to all who read the same format', async () => {
  const topic = new Topic({ channel: trades, ask: { symbol: 'BTC' }, turns: new Turns() });
  const all = [follower(), follower(), follower()];
  for (const one of all) topic.join(one);
  for (let n = 0; n < 10; n += 1) topic.publish(update);
  await nextTurn();
  expect(new Set(all.map(({ buffers }) => buffers[0])).size).toBe(1);
  expect(all.map(({ buffers }) => buffers.length)).toEqual([1, 1, 1]);
});

it('does not let a burst pile up within one turn', () => {
  const topic = new Topic({ channel: trades, ask: { symbol: 'BTC' }, turns: new Turns() });
  const one = follower();
  topic.join(one);
  for (let n = 0; n < 10_000; n += 1) topic.publish(update);
  expect(one.buffers.length).toBe(2);
  topic.flush();
  expect(one.seqs.length).toBe(10_000);
});

it('gives a snapshot the seq of the last message', () => {
  const topic = new Topic({ channel: markPrice, ask: { symbol: 'BTC' }, turns: new Turns(), seq: 5 });
  topic.begin({ snapshot: () => update, close: () => undefined });
  topic.publish(update);
  expect(topic.snapshot('json')?.toString('latin1')).toContain('"seq":6');
});

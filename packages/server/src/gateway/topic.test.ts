import { expect, it } from 'vitest';
import { WriteScheduler } from '../platform/write-scheduler.ts';
import { markPrice } from '../features/perps/channels/mark-price.ts';
import { trades } from '../features/tape/channels/trades.ts';
import { type Follower, Topic } from './topic.ts';

/** A follower that records the seqs it receives. */
function follower(): Follower & { readonly seqs: number[]; readonly buffers: Buffer[] } {
  const seqs: number[] = [];
  const buffers: Buffer[] = [];
  return {
    format: 'json',
    seqs,
    buffers,
    deliverStatus: () => undefined,
    deliver(bytes) {
      buffers.push(bytes);
      for (const [, seq] of bytes.toString('latin1').matchAll(/"seq":(\d+)/g)) seqs.push(Number(seq));
    },
  };
}

const update = { ts: 1, payload: { price: 1 } };
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('sends new subscribers nothing that was published before, though others have yet to get it', async () => {
  const topic = new Topic({
    channel: trades,
    request: { symbol: 'BTC' },
    scheduler: new WriteScheduler(),
    seq: 10,
  });
  const [early, late] = [follower(), follower()];
  topic.join(early);
  topic.publish(update);
  topic.join(late);
  topic.publish(update);
  await nextTurn();
  expect(early.seqs).toEqual([11, 12]);
  expect(late.seqs).toEqual([12]);
});

it('sends the same bytes to all subscribers of a format', async () => {
  const topic = new Topic({ channel: trades, request: { symbol: 'BTC' }, scheduler: new WriteScheduler() });
  const all = [follower(), follower(), follower()];
  for (const one of all) topic.join(one);
  for (let n = 0; n < 10; n += 1) topic.publish(update);
  await nextTurn();
  expect(new Set(all.map(({ buffers }) => buffers[0])).size).toBe(1);
  expect(all.map(({ buffers }) => buffers.length)).toEqual([1, 1, 1]);
});

it('does not let a burst pile up within one turn', () => {
  const topic = new Topic({ channel: trades, request: { symbol: 'BTC' }, scheduler: new WriteScheduler() });
  const one = follower();
  topic.join(one);
  for (let n = 0; n < 10_000; n += 1) topic.publish(update);
  expect(one.buffers.length).toBe(2);
  topic.flush();
  expect(one.seqs.length).toBe(10_000);
});

it('gives a snapshot the seq of the last message', () => {
  const topic = new Topic({
    channel: markPrice,
    request: { symbol: 'BTC' },
    scheduler: new WriteScheduler(),
    seq: 5,
  });
  topic.begin({ snapshot: () => update, close: () => undefined });
  topic.publish(update);
  expect(topic.snapshot('json')?.toString('latin1')).toContain('"seq":6');
});

it('delivers to many subscribers in steps, each frame once and in order, while clients join, leave and publish', () => {
  const topic = new Topic({
    channel: trades,
    request: { symbol: 'BTC' },
    scheduler: new WriteScheduler(),
    seq: 0,
  });
  const all = Array.from({ length: 1_000 }, follower);
  for (const one of all) topic.join(one);
  const reached = (): number => all.filter(({ buffers }) => buffers.length > 0).length;
  topic.publish(update);
  expect(topic.step()).toBeGreaterThan(0);
  const first = reached();
  expect(first).toBeGreaterThan(0);
  expect(first).toBeLessThan(1_000);
  topic.publish(update);
  topic.leave(all[999] as Follower);
  topic.step();
  expect(reached()).toBe(2 * first);
  // A new subscriber does not get updates that are still queued for others.
  const late = follower();
  topic.join(late);
  topic.publish(update);
  for (let steps = 0; topic.step() !== undefined; steps += 1) expect(steps).toBeLessThan(100);
  for (const { seqs } of all.slice(0, 999)) expect(seqs).toEqual([1, 2, 3]);
  expect([all[999]?.seqs, late.seqs]).toEqual([[], [3]]);
});

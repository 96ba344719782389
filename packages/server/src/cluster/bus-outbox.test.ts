import { setImmediate as turn } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import type { LatestTopic, LogTopic } from '../platform/bus.ts';
import { BusOutbox } from './bus-outbox.ts';
import { shardsOf } from './bus-wire.ts';
import type { RedisLink } from './redis.ts';
import { systemClock } from '../platform/system-clock.ts';

const keep = { kind: 'log', keepMs: 60_000, entriesMax: 10_000 } as const;
const trades: LogTopic<{ readonly ts: number }> = { name: 'trades', keep };
const price: LatestTopic<number> = { name: 'price', keep: { kind: 'latest' } };

/** An outbox whose server answers a batch when `answer` resolves. */
function outboxOver(answer: (sent: number) => Promise<void>, waitingMax = 1_000) {
  let sent = 0;
  const callBuffer = async (): Promise<string> => {
    sent += 1;
    await answer(sent);
    return `${sent}-0`;
  };
  const onLost = vi.fn();
  const outbox = new BusOutbox({
    link: { callBuffer } as unknown as RedisLink,
    shard: shardsOf('test')[0]!,
    token: 1,
    clock: systemClock,
    timing: systemClock,
    waitingMax,
    onLost,
    onFenced: () => undefined,
  });
  return { outbox, onLost, sent: () => sent };
}

it.each([
  ['trades', (outbox: BusOutbox) => outbox.add(trades, { ts: 1 })],
  ['newest messages', (outbox: BusOutbox) => outbox.add(price, 1)],
])('is flushed of %s though more come with every batch', async (_, add) => {
  const batches = 50;
  const { outbox, sent } = outboxOver(async (n) => {
    if (n < batches) add(outbox);
    await turn();
  });
  add(outbox);
  await outbox.flushed();
  expect(sent()).toBeLessThanOrEqual(2);
  // By now a later batch is in flight.
  await outbox.flushed();
  expect(sent()).toBeLessThan(batches);
});

it('is flushed only of what has been sent, and of what was dropped once later messages have been sent', async () => {
  const answers: (() => void)[] = [];
  const { outbox, onLost } = outboxOver(() => new Promise((resolve) => answers.push(resolve)), 10);
  const done: string[] = [];
  const flush = (name: string): void => void outbox.flushed().then(() => done.push(name));
  outbox.add(trades, { ts: 0 });
  await vi.waitUntil(() => answers.length === 1);
  flush('first');
  for (let ts = 1; ts <= 4; ts += 1) outbox.add(trades, { ts });
  flush('dropped');
  for (let ts = 5; ts <= 11; ts += 1) outbox.add(trades, { ts });
  flush('last');
  expect(onLost).toHaveBeenCalledWith(5);
  await turn();
  expect(done).toEqual([]);
  answers[0]?.();
  await vi.waitUntil(() => answers.length === 2);
  await turn();
  expect(done).toEqual(['first']);
  answers[1]?.();
  await vi.waitUntil(() => done.length === 3);
  expect(done).toEqual(['first', 'dropped', 'last']);
  await outbox.flushed();
});

import { Client } from '@crosstape/client';
import { ManualClock } from '@crosstape/core';
import { expect, it } from 'vitest';
import { runFeed, type Word } from './feeds.ts';
import { freshnessOf } from './freshness.ts';

async function settle(): Promise<void> {
  for (let i = 0; i < 200; i += 1) await new Promise((resolve) => setImmediate(resolve));
}

it('is limited until the service says that it may ask again, and keeps what it has', async () => {
  const clock = new ManualClock(1_000_000);
  const ending = new AbortController();
  const words: Word[] = [];
  const good = { data: [], meta: { source: 'sim:x', fetchedAt: 1_000_000 } };
  let isOver = false;
  let asked = 0;
  const client = new Client({
    url: 'http://service',
    clock,
    retries: 0,
    fetch: async () => {
      asked += 1;
      return isOver
        ? Response.json(
            { error: 'Too many.', meta: { code: 'rate_limited' } },
            { status: 429, headers: { 'Retry-After': '7' } },
          )
        : Response.json(good);
    },
  });
  const topic = { from: 'rest', path: '/sources', query: {}, everyMs: 5_000 } as const;
  const running = runFeed({ client, topic, signal: ending.signal, tell: (word) => words.push(word) });
  await settle();
  isOver = true;
  clock.advance(5_000);
  await settle();
  const last = { state: 'up', atMs: clock.now(), ...words.at(-1) } as const;
  expect(last).toMatchObject({ items: [], state: 'down', limitedUntilMs: 1_012_000 });
  expect(last).not.toHaveProperty('isWhole');
  const heard = { topic, last: { ...last, items: [] }, dataMs: 1_000_000, latest: good, nowMs: clock.now() };
  expect(freshnessOf(heard)).toMatchObject({ state: 'limited', reason: expect.stringContaining('in 7 s') });

  isOver = false;
  const before = asked;
  clock.advance(6_000);
  await settle();
  expect(asked).toBe(before);
  clock.advance(1_000);
  await settle();
  expect(words.at(-1)).toMatchObject({ items: [good], isWhole: true });
  ending.abort();
  await running;
});

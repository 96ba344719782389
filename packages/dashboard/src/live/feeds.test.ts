import { Client } from '@crosstape/client';
import { ManualClock } from '@crosstape/core';
import { describe, expect, it } from 'vitest';
import { runFeed, type Word } from './feeds.ts';
import { freshnessOf } from './freshness.ts';
import { Pause } from './pause.ts';

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
  const running = runFeed({
    client,
    topic,
    signal: ending.signal,
    send: (word) => words.push(word),
    pause: new Pause(),
  });
  await settle();
  isOver = true;
  clock.advance(5_000);
  await settle();
  const last = { state: 'up', atMs: clock.now(), ...words.at(-1) } as const;
  expect(last).toMatchObject({ items: [], state: 'down', limitedUntilMs: 1_012_000 });
  expect(last).not.toHaveProperty('isWhole');
  const received = {
    topic,
    last: { ...last, items: [] },
    dataMs: 1_000_000,
    latest: good,
    nowMs: clock.now(),
  };
  expect(freshnessOf(received)).toMatchObject({
    state: 'limited',
    reason: expect.stringContaining('in 7 s'),
  });

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

it('is limited while the gateway refuses its subscription, until the channel is joined', async () => {
  const ending = new AbortController();
  const words: Word[] = [];
  const clock = new ManualClock(1_000_000);
  const client = new Client({ url: 'http://service', clock });
  client.followBatches = async function* (_channel, _symbol, _params, { onLimited } = {}) {
    onLimited?.(1_035_000);
    await client.wait(35_000);
    yield [{ type: 'joined' }];
  };
  const topic = { from: 'channel', channel: 'etfProxy', symbol: 'BTC' } as const;
  const send = (word: Word): void => void words.push(word);
  const running = runFeed({ client, topic, signal: ending.signal, send, pause: new Pause() });
  await settle();
  const received = { topic, dataMs: 0, latest: undefined, nowMs: 1_000_000 };
  const state = () =>
    freshnessOf({ ...received, last: { state: 'up', atMs: 1_000_000, ...words.at(-1)!, items: [] } });
  expect(state()).toMatchObject({ state: 'limited', reason: expect.stringContaining('in 35 s') });
  clock.advance(35_000);
  await settle();
  expect(state()).toMatchObject({ state: 'loading' });
  ending.abort();
  await running;
});

describe('a source that the service has just begun to fetch', () => {
  const good = { data: [], meta: { source: 'sim:deribit', fetchedAt: 1_000_000 } };
  const topic = {
    from: 'rest',
    path: '/options/gex',
    query: { underlying: 'BTC' },
    everyMs: 30_000,
  } as const;

  /** A panel of a service with scripted answers, and its request times. */
  function follow(answer: (askedMs: number) => Response) {
    const clock = new ManualClock(1_000_000);
    const ending = new AbortController();
    const words: Word[] = [];
    const askedMs: number[] = [];
    const client = new Client({
      url: 'http://service',
      clock,
      retries: 0,
      fetch: async () => {
        askedMs.push(clock.now() - 1_000_000);
        return answer(clock.now() - 1_000_000);
      },
    });
    const running = runFeed({
      client,
      topic,
      signal: ending.signal,
      send: (word) => words.push(word),
      pause: new Pause(),
    });
    const pass = async (ms: number): Promise<void> => {
      for (let passedMs = 0; passedMs < ms; passedMs += 500) {
        await settle();
        clock.advance(500);
      }
      await settle();
    };
    const stop = (): Promise<void> => {
      ending.abort();
      return running;
    };
    return { words, askedMs, pass, stop };
  }

  const notYet = (code = 'upstream_unavailable', headers: Record<string, string> = { 'Retry-After': '3' }) =>
    Response.json({ error: 'Not yet.', meta: { code } }, { status: 503, headers });

  it('is loading, and requested again when the service says, until it is there', async () => {
    const { words, askedMs, pass, stop } = follow((ms) => (ms < 6_000 ? notYet() : Response.json(good)));
    await pass(7_000);
    expect(askedMs).toEqual([0, 3_000, 6_000]);
    expect(words).toMatchObject([{ items: [good], isWhole: true }]);
    await stop();
  });

  it('is an outage after 10 s', async () => {
    const { words, pass, stop } = follow(() => notYet());
    await pass(9_500);
    expect(words).toEqual([]);
    await pass(1_000);
    expect(words).toMatchObject([{ items: [], state: 'down', problem: 'Not yet.' }]);
    await stop();
  });

  it('is an outage at once where there was an answer before', async () => {
    const { words, pass, stop } = follow((ms) => (ms === 0 ? Response.json(good) : notYet()));
    await pass(31_000);
    expect(words).toMatchObject([{ isWhole: true }, { state: 'down' }]);
    await stop();
  });

  it.each([
    ['another failure', notYet('overloaded')],
    ['a failure without a time to ask again', notYet('upstream_unavailable', {})],
  ])('is not %s', async (_, failure) => {
    const { words, pass, stop } = follow(() => failure.clone());
    await pass(500);
    expect(words).toMatchObject([{ state: 'down' }]);
    await stop();
  });
});

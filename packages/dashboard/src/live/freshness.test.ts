import { describe, expect, it } from 'vitest';
import { freshnessOf } from './freshness.ts';
import type { Book, ChannelTopic, Topic } from './topic.ts';

const NOW_MS = 1_790_000_000_000;
const up = (atMs: number) => ({ items: [], atMs, state: 'up' }) as const;
const following = (channel: ChannelTopic['channel']): Topic => ({
  from: 'channel',
  channel,
  symbol: 'BTC',
  params: {},
});
const after = (topic: Topic, silentMs: number, latest: unknown = {}) =>
  freshnessOf({ topic, last: up(NOW_MS - silentMs), dataMs: NOW_MS - silentMs, latest, nowMs: NOW_MS });

describe('how fresh figures are', () => {
  it('is stale for a book that the venue no longer sends, although the connection is up', () => {
    const book: Book = { bids: [], asks: [], ts: NOW_MS - 500, isStale: false, proofs: 0, breaks: 0 };
    const topic = { from: 'book', symbol: 'BTC' } as const;
    expect(after(topic, 500, book).state).toBe('live');
    expect(after(topic, 500, { ...book, isStale: true })).toMatchObject({
      state: 'stale',
      reason: expect.stringContaining('book'),
    });
  });

  it('has the age of the oldest part of a stale answer', () => {
    const topic = { from: 'rest', path: '/perps/oi', query: {}, everyMs: 30_000 } as const;
    const meta = { fetchedAt: NOW_MS - 5_000, stale: true, ageMs: 80_000 };
    expect(after(topic as Topic, 3_000, { meta })).toMatchObject({ state: 'stale', ageMs: 83_000 });
  });

  it('is delayed of a channel that has nothing new for longer than its source should take', () => {
    for (const channel of ['markPrice', 'openInterest'] as const) {
      expect(after(following(channel), 74_000).state).toBe('live');
      expect(after(following(channel), 76_000)).toMatchObject({ state: 'delayed', ageMs: 76_000 });
    }
    expect(after(following('venueSpread'), 44_000).state).toBe('live');
    expect(after(following('venueSpread'), 46_000).state).toBe('delayed');
  });

  it('is of the record in a replay, also where nothing was recorded', () => {
    const nothing = { topic: following('openInterest'), last: up(NOW_MS), dataMs: 0, latest: undefined };
    expect(freshnessOf({ ...nothing, nowMs: NOW_MS }).state).toBe('loading');
    expect(freshnessOf({ ...nothing, nowMs: NOW_MS, isReplayed: true }).state).toBe('replay');
  });

  it('is live of channels that may be silent for long: events, and a rate that stays the same', () => {
    for (const channel of ['trades', 'liquidations', 'flowSignals', 'funding'] as const)
      expect(after(following(channel), 3_600_000).state).toBe('live');
  });

  it('is the reported state of the sources behind a topic, however new the last item is', () => {
    const status = {
      state: 'stale',
      sinceTs: NOW_MS - 7_000,
      reason: 'hyperliquid trades: No data.',
    } as const;
    const bars = { from: 'bars', spec: { coin: 'BTC', kind: 'time' } } as const;
    for (const topic of [following('trades'), bars as Topic, { from: 'book', symbol: 'BTC' } as const]) {
      const received = { topic, dataMs: NOW_MS, latest: {}, nowMs: NOW_MS };
      const of = (more: object) => freshnessOf({ ...received, last: { ...up(NOW_MS), ...more } }).state;
      expect(of({ status })).toBe('stale');
      expect(of({ status: { ...status, state: 'down' } })).toBe('stale');
      expect(of({ status: { ...status, partial: true } })).toBe('gap');
      expect(of({ status: { ...status, state: 'live' } })).toBe('live');
      expect(of({ status: null })).toBe('live');
      const nothing = { ...received, dataMs: 0, last: { ...up(NOW_MS), status } };
      expect(freshnessOf(nothing)).toMatchObject({ state: 'down', reason: status.reason });
      expect(freshnessOf({ ...nothing, hasCome: true }).state).toBe('stale');
    }
  });

  it('is limited while this browser itself waits with asking, also where nothing has come yet', () => {
    const topic = { from: 'rest', path: '/perps/oi', query: {}, everyMs: 60_000 } as const;
    const last = { ...up(NOW_MS), limitedUntilMs: NOW_MS + 7_000 };
    expect(freshnessOf({ topic, last, dataMs: 0, latest: undefined, nowMs: NOW_MS })).toEqual({
      state: 'limited',
      ageMs: undefined,
      reason:
        "This browser's request limit for this minute is used up: showing the last data, retrying in 7 s.",
    });
  });

  it('is delayed of an answer that is overdue', () => {
    const topic = { from: 'rest', path: '/perps/oi', query: {}, everyMs: 60_000 } as const;
    const answer = { data: [], meta: { fetchedAt: NOW_MS - 130_000 } };
    expect(after(topic, 119_000, answer).state).toBe('live');
    expect(after(topic, 121_000, answer)).toMatchObject({ state: 'delayed', ageMs: 130_000 });
  });

  it('is recorded, up to its newest sample, of a history', () => {
    const topic = {
      from: 'rest',
      path: '/perps/oi/history',
      query: { coin: 'BTC' },
      everyMs: 600_000,
    } as const;
    const untilMs = NOW_MS - 7 * 3_600_000;
    const answer = { data: {}, meta: { fetchedAt: untilMs } };
    expect(after(topic, 60_000, answer)).toMatchObject({ state: 'recorded', ageMs: undefined, untilMs });
    expect(after(topic, 1_000_000, answer).state).toBe('delayed');
  });

  it('is loading, not live, until bars and regular channels have sent something', () => {
    const nothing = { last: up(NOW_MS), dataMs: 0, latest: undefined, nowMs: NOW_MS };
    const bars = { from: 'bars', spec: { coin: 'BTC', kind: 'time' } } as Topic;
    expect(freshnessOf({ ...nothing, topic: bars }).state).toBe('loading');
    expect(freshnessOf({ ...nothing, topic: following('markPrice') }).state).toBe('loading');
    expect(freshnessOf({ ...nothing, topic: following('liquidations') }).state).toBe('live');
    expect(freshnessOf({ ...nothing, topic: bars, hasCome: true }).state).toBe('live');
  });
});

it('follows the health of the sources of an answer, and not that of others', () => {
  const topic = { from: 'rest', path: '/perps/positioning', query: {}, everyMs: 60_000 } as const;
  const latest = { meta: { source: 'sim:okx+sim:binance', fetchedAt: 1_000 } };
  const last = { items: [], atMs: 1_000, state: 'up' } as const;
  const at = (name: string, everyMs = 60_000) =>
    freshnessOf({
      topic: { ...topic, everyMs },
      last,
      dataMs: 1_000,
      latest,
      nowMs: 2_000,
      failing: new Map([[name, 'Binance']]),
    });
  expect(at('binance')).toMatchObject({ state: 'stale', reason: expect.stringContaining('Binance failing') });
  expect(at('binance-spot')).toMatchObject({ state: 'live' });
  // Data that change once a day are not old because their source is down.
  expect(at('binance', 3_600_000)).toMatchObject({ state: 'live' });
});

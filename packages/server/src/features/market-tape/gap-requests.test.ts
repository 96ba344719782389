import { ManualClock, type MarketTrade } from '@crosstape/core';
import { expect, it } from 'vitest';
import type { PastTrades, UnreadPages } from '../../ingest/past-trades-client.ts';
import { CoinTape } from '../tape/coin-tape.ts';
import type { Gap } from '../tape/gap-ledger.ts';
import { MarketTape } from './market-tape.ts';
import type { RequestPast } from './past-in-parts.ts';

/** Requests for a gap, and conclusions from the answers. */

const T = 1_790_000_000_000;
const symbol = 'BTCUSDT';

const trade = (tid: number, seq?: number): MarketTrade => ({
  symbol,
  side: 'buy',
  price: 100,
  size: 1,
  venueTs: T + tid,
  tid,
  ...(seq !== undefined && { seq }),
});

const rest: UnreadPages = {
  request: { method: 'GET', path: '/more' },
  isRead: true,
  hasAfter: true,
  hasBefore: false,
  coveredFromMs: T,
};

type Answer = PastTrades | undefined;

/** A market of a venue with scripted answers; the last one repeats. */
function open(counted: 'tid' | 'seq' | undefined, answers: readonly (Answer | (() => Answer))[]) {
  const clock = new ManualClock(T);
  const asked: Parameters<RequestPast>[] = [];
  const released: number[] = [];
  const gaps = new Map<number, Gap>();
  const tape = new MarketTape({
    market: { symbol },
    known: new CoinTape('fake'),
    feed: { ids: counted ? { counted } : {}, grouping: 'time' },
    clock,
    release: ({ tid }) => released.push(tid),
    onGap: (gap) => gaps.set(gap.from, gap),
    past: async (...request) => {
      const next = answers[Math.min(asked.length, answers.length - 1)];
      asked.push(request);
      // The timer that woke the request must finish before an answer advances the clock.
      await Promise.resolve();
      const answer = typeof next === 'function' ? next() : next;
      if (!answer) throw new Error('the venue is down');
      return answer;
    },
  });
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    for (let i = 0; i < 50; i += 1) await Promise.resolve();
  };
  return { tape, clock, asked, released, gaps, pass };
}

it('takes no number for skipped whose page was read before the history was whole', async () => {
  const part = { trades: [trade(2)], isWhole: false, rest };
  const { tape, asked, released, gaps, pass } = open('tid', [
    part,
    undefined,
    { trades: [trade(4)], isWhole: true },
    { trades: [trade(3)], isWhole: true },
  ]);
  tape.add([trade(1), trade(5)]);
  await pass(300);
  await pass(10_000);
  expect(asked.map(([, from]) => from)).toEqual([undefined, rest, rest]);
  expect(gaps.get(T + 1)).toMatchObject({ state: 'partial', missing: 1 });
  await pass(60_000);
  expect(asked.at(-1)?.[1]).toBeUndefined();
  expect(gaps.get(T + 1)).toMatchObject({ state: 'refilled', missing: 0 });
  expect(released).toContain(3);
});

it('requests the past of an outage once, however many trades are answered before the count begins', async () => {
  const answered = Array.from({ length: 50 }, (_, i) => trade(10 + i));
  const { tape, asked, released, pass } = open('seq', [{ trades: answered, isWhole: true }]);
  tape.outage({ fromMs: T + 1, toMs: T + 100, reason: 'no socket', isUncounted: true });
  await pass(0);
  expect(asked.length).toBe(1);
  expect(released.length).toBe(50);
});

it('requests a gap for ten minutes, and reports what is left', async () => {
  let next = 2;
  const { tape, clock, asked, gaps, pass } = open('tid', [
    () => {
      clock.advance(120_000);
      next += 1;
      return { trades: [trade(next - 1)], isWhole: false, rest };
    },
  ]);
  tape.add([trade(1), trade(100)]);
  await pass(300);
  expect(asked.length).toBe(5);
  for (let minute = 0; minute < 10; minute += 1) await pass(60_000);
  expect(asked.length).toBe(5);
  expect(gaps.get(T + 1)).toMatchObject({ state: 'partial', missing: 93 });
});

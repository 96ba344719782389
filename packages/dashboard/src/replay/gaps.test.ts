import { expect, it } from 'vitest';
import { barWords } from './bar-words.ts';
import type { ReplayStatus } from './replay-player.ts';
import { MINUTE_MS, open, PRESENT_MS, START_MS, trade } from './testing/recorded-replay.ts';

const DAY_MS = 86_400_000;
const okx = { coin: 'BTC', market: 'okx:BTC' };

it('reports a gap of the record where it begins, and plays through it', async () => {
  const gaps = [
    { from: START_MS + 2_000, to: START_MS + 15 * MINUTE_MS, reason: 'feed down', state: 'missing' },
  ];
  const trades = [trade(START_MS + 1_000), trade(START_MS + 16 * MINUTE_MS)];
  const { player, follow, pass, items, statuses, clock } = open(trades, { gaps });
  await follow();
  player.play();
  await pass(1_500);
  expect(items.map(({ type }) => type)).toEqual(['data']);
  await pass(1_000);
  expect(items.map(({ type }) => type)).toEqual(['data', 'gap']);
  expect(statuses.at(-1)?.gap).toMatchObject({ to: START_MS + 15 * MINUTE_MS, reason: 'feed down' });
  expect(clock.now()).toBe(START_MS + 2_500);
  player.setSpeed(100);
  await pass(10_000);
  // The same gap is in the next window too, and is not reported again.
  expect(items.map(({ type }) => type)).toEqual(['data', 'gap', 'data']);
});

it('skips a gap to the end that the coverage knows, however far it is', async () => {
  const startMs = PRESENT_MS - 100 * DAY_MS;
  const [knownMs, endMs] = [startMs + 10 * MINUTE_MS, startMs + 12 * DAY_MS];
  const gaps = [{ from: startMs + 1_000, to: knownMs, reason: 'feed down', state: 'missing' }];
  const { player, follow, pass, client, jumps, statuses } = open([], { startMs, gaps });
  let toMs = endMs;
  const asked: number[] = [];
  client.get = ((_: string, { from, to }: { from: number; to: number }) => {
    asked.push((to - from) / DAY_MS);
    const data = [
      { from, to: Math.min(to, toMs), state: 'missing' },
      { from: toMs, to, state: 'partial' },
    ].filter((one) => one.from < one.to);
    return Promise.resolve({ data, meta: {} });
  }) as never;
  await player.leaveGap();
  await follow({ ts: startMs, count: 0 });
  player.play();
  await pass(2_000);
  expect(jumps).toEqual([]);
  await player.leaveGap();
  expect(asked).toEqual([1, 8, 64]);
  expect(jumps).toEqual([endMs]);
  expect(statuses.at(-1)).toMatchObject({ isPlaying: true, problem: undefined });
  toMs = Infinity;
  await player.leaveGap();
  expect(jumps).toHaveLength(1);
  expect(statuses.at(-1)?.problem).toContain('No data recorded after this gap');
});

it('continues as long as the coverage has the state of the gap', async () => {
  const { windows, client } = open([]);
  client.get = (() =>
    Promise.resolve({
      data: [
        { from: 10, to: 20, state: 'partial' },
        { from: 20, to: 30, state: 'missing' },
      ],
      meta: {},
    })) as never;
  expect(await windows.endOfGap(okx, { from: 0, to: 10, state: 'partial', reason: '' })).toBe(20);
  expect(await windows.endOfGap(okx, { from: 0, to: 10, state: 'missing', reason: '' })).toBe(10);
});

it('skips only where every tape is in a gap, to where the first one continues, and forgets those that were left', async () => {
  const [from, soonMs, lateMs] = [START_MS + 1_000, START_MS + 4 * MINUTE_MS, START_MS + 6 * MINUTE_MS];
  const gapTo = (to: number, start = from) => [{ from: start, to, reason: 'feed down', state: 'missing' }];
  const { player, follow, pass, client, jumps, statuses } = open([], { gaps: gapTo(lateMs) });
  const asked: number[] = [];
  client.get = ((_: string, range: { from: number; to: number }) => {
    asked.push(range.from);
    return Promise.resolve({ data: [{ ...range, state: 'complete' }], meta: {} });
  }) as never;
  client.ofMarket('okx:BTC', [], gapTo(soonMs, from + 5_000));
  client.ofMarket('bybit:BTC', [], []);
  const leaving = new AbortController();
  await follow();
  await follow(undefined, okx);
  await follow(undefined, { coin: 'BTC', market: 'bybit:BTC' }, leaving.signal);
  player.play();
  await pass(2_000);
  expect(statuses.at(-1)).toMatchObject({ gap: { to: lateMs }, canSkip: false });
  await player.leaveGap();
  leaving.abort();
  await pass(2_000);
  expect(statuses.at(-1)).toMatchObject({ gap: { to: lateMs }, canSkip: false });
  await player.leaveGap();
  expect([asked, jumps]).toEqual([[], []]);
  await pass(3_000);
  expect(statuses.at(-1)).toMatchObject({ gap: { to: soonMs }, canSkip: true });
  await player.leaveGap();
  expect([asked, jumps]).toEqual([[soonMs], [soonMs]]);
});

it('shows no gap of a tape that was left', async () => {
  const gaps = [{ from: START_MS, to: START_MS + MINUTE_MS, reason: 'feed down', state: 'missing' }];
  const { player, follow, pass, client, statuses } = open([], { gaps });
  client.ofMarket('okx:BTC', [], []);
  const leaving = new AbortController();
  await follow(undefined, undefined, leaving.signal);
  await follow(undefined, okx);
  player.play();
  await pass(1_000);
  expect(statuses.at(-1)?.gap?.reason).toBe('feed down');
  leaving.abort();
  await pass(1_000);
  expect(statuses.at(-1)).toMatchObject({ gap: undefined, canSkip: false });
});

it('does not jump back to the end of a gap that was played meanwhile', async () => {
  const to = START_MS + 2_000;
  const gaps = [{ from: START_MS, to, reason: 'feed down', state: 'missing' }];
  const { player, follow, pass, client, clock, jumps, statuses } = open([], { gaps });
  client.get = (() => {
    clock.moveTo(to + 1);
    return Promise.resolve({ data: [{ from: to, to: PRESENT_MS, state: 'complete' }], meta: {} });
  }) as never;
  await follow();
  player.play();
  await pass(500);
  expect(statuses.at(-1)?.canSkip).toBe(true);
  await player.leaveGap();
  expect(jumps).toEqual([]);
  expect(statuses.at(-1)?.problem).toBeUndefined();
});

it('says beside a gap why it could not be skipped', () => {
  const gap = { from: START_MS, to: START_MS + MINUTE_MS, reason: 'feed down' };
  const status: ReplayStatus = {
    nowMs: START_MS,
    speed: 1,
    isPlaying: false,
    state: 'paused',
    gap,
    canSkip: true,
  };
  expect(barWords(status, undefined)).toEqual({ gap, canSkip: true, text: '', isProblem: false });
  const problem = 'No data recorded after this gap yet.';
  expect(barWords({ ...status, problem }, undefined)).toEqual({
    gap,
    canSkip: true,
    text: problem,
    isProblem: true,
  });
  expect(barWords({ ...status, nowMs: gap.to }, undefined)).toMatchObject({ gap, canSkip: false });
  const later = { ...status, nowMs: gap.to + 1_000, state: 'loading' } as const;
  expect(barWords(later, undefined)).toMatchObject({ gap: undefined, canSkip: false, text: 'Loading…' });
  expect(barWords(status, 'Enter a date and time.')).toEqual({
    canSkip: false,
    text: 'Enter a date and time.',
    isProblem: true,
  });
});

import type { VenueTrade } from '@crosstape/core';
import { describe, expect, it } from 'vitest';
import type { TapeGap } from './tape-gap.ts';
import { setUp, tids, trade } from './testing/tape-setting.ts';

describe('a coin that no socket has spoken of yet', () => {
  const recorded = {
    ...trade({ coin: 'X', venueTs: 3_900 }),
    venue: 'hyperliquid',
    ts: 3_900,
    notionalUsd: 10,
    sameOrder: false,
  };
  const spans = (gaps: readonly TapeGap[]) =>
    gaps.map(({ coin, from, to, state }) => [coin, from, to, state]);

  it('misses everything until its back-fill after an outage, and none of that counts as connected before it is reported', () => {
    const { clock, tape, gaps, released } = setUp(4_000);
    tape.restore([recorded, { ...recorded, coin: 'BTC' }]);
    tape.socket({ kind: 'up', socket: 0, atMs: 10_000 });
    clock.advance(3_000);
    tape.add([trade({ venueTs: 3_900 })], true, 13_000, 0);
    expect(tape.connectedSpan).toEqual({ fromMs: 10_000, toMs: 10_000 });
    clock.advance(2_000);
    tape.add([trade({ venueTs: 17_000, tid: 5 })], false, 17_500, 0);
    expect(tape.connectedSpan).toEqual({ fromMs: 10_000, toMs: 15_000 });
    clock.advance(3_000);
    tape.add([trade({ coin: 'X', venueTs: 17_600, tid: 2 })], true, 18_000, 0);
    expect(spans(gaps)).toEqual([
      ['BTC', 4_000, 13_000, 'partial'],
      ['X', 4_000, 15_000, 'missing'],
      ['BTC', 4_000, 13_000, 'refilled'],
      ['X', 4_000, 17_601, 'missing'],
      ['X', 17_601, 18_000, 'partial'],
    ]);
    expect(tids(released)).toEqual([5, 2]);
    expect(tape.connectedSpan).toEqual({ fromMs: 10_000, toMs: 16_000 });
  });

  it('has a gap from the last words of the only socket that carried it', () => {
    const { clock, tape, gaps } = setUp();
    tape.socket({ kind: 'up', socket: 0, atMs: 5_000 });
    for (const coin of ['X', 'BTC']) tape.add([trade({ coin, venueTs: 8_000 })], true, 9_000, 0);
    tape.socket({ kind: 'up', socket: 1, atMs: 9_500 });
    tape.add([trade({ venueTs: 8_000 })], true, 9_600, 1);
    tape.socket({ kind: 'down', socket: 0, atMs: 10_000, lastDataMs: 9_400 });
    clock.advance(6_000);
    tape.add([trade({ coin: 'X', venueTs: 15_900, tid: 2 })], true, 16_000, 1);
    expect(spans(gaps)).toEqual([
      ['X', 8_400, 10_000, 'missing'],
      ['X', 8_400, 15_000, 'missing'],
      ['X', 8_400, 15_901, 'missing'],
      ['X', 15_901, 16_000, 'partial'],
    ]);
    tape.socket({ kind: 'up', socket: 0, atMs: 17_000 });
    tape.add([trade({ coin: 'X', venueTs: 15_900, tid: 2 })], true, 17_000, 0);
    tape.socket({ kind: 'down', socket: 1, atMs: 18_000 });
    expect(spans(gaps.slice(4))).toEqual([['BTC', 16_000, 16_000 + 1, 'missing']]);
  });

  it('misses everything up to the venue’s time where our clock is behind', () => {
    const { clock, tape, gaps } = setUp(4_000);
    tape.restore([recorded, { ...recorded, coin: 'BTC' }]);
    tape.socket({ kind: 'up', socket: 0, atMs: 10_000 });
    tape.add([trade({ venueTs: 3_900 }), trade({ venueTs: 9_000, tid: 7 })], true, 10_000, 0);
    tape.add([trade({ venueTs: 13_000, tid: 5 })], false, 10_200, 0);
    clock.advance(5_000);
    expect(spans(gaps)).toEqual([
      ['BTC', 4_000, 9_001, 'refilled'],
      ['BTC', 9_001, 10_000, 'partial'],
      ['X', 10_000, 13_000, 'partial'],
      ['BTC', 10_000, 13_000, 'partial'],
      ['BTC', 9_001, 10_000, 'refilled'],
      ['X', 4_000, 15_000 + 2_800, 'missing'],
    ]);
    expect(tape.connectedSpan?.fromMs).toBe(13_000);
  });

  it('is known up to the newest trade of its back-fill only, until a live trade follows', () => {
    const late = (isLive: boolean): ReturnType<typeof setUp> => {
      const set = setUp(4_000);
      const { clock, tape } = set;
      tape.restore([recorded]);
      tape.socket({ kind: 'up', socket: 0, atMs: 10_000 });
      clock.advance(8_000);
      // Made at 10 s, it arrives at 18 s.
      tape.add(
        [{ ...recorded, venueTs: 3_900 }, trade({ coin: 'X', venueTs: 9_900, tid: 2 })],
        true,
        18_000,
        0,
      );
      if (isLive) tape.add([trade({ coin: 'X', venueTs: 17_950, tid: 3 })], false, 18_000, 0);
      tape.socket({ kind: 'down', socket: 0, atMs: 30_000, lastDataMs: 18_000 });
      clock.advance(12_000);
      tape.socket({ kind: 'up', socket: 0, atMs: 30_000 });
      clock.advance(5_000);
      return set;
    };
    const unproven = late(false);
    expect(unproven.tape.connectedSpan?.fromMs).toBe(30_000);
    expect(spans(unproven.gaps).at(-1)).toEqual(['X', 9_901, 35_000, 'missing']);
    expect(spans(late(true).gaps).at(-1)).toEqual(['X', 16_950, 35_000, 'missing']);
  });

  it('keeps the beginning of its gap over another outage', () => {
    const { clock, tape, gaps } = setUp(4_000);
    tape.restore([recorded]);
    tape.socket({ kind: 'up', socket: 0, atMs: 10_000 });
    clock.advance(5_000);
    tape.add([trade({})], true, 15_000, 0);
    tape.socket({ kind: 'down', socket: 0, atMs: 15_000 });
    clock.advance(5_000);
    tape.socket({ kind: 'up', socket: 0, atMs: 20_000 });
    tape.add([trade({ coin: 'X', venueTs: 19_000, tid: 2 }), recorded as VenueTrade], true, 20_000, 0);
    expect(spans(gaps.filter(({ coin }) => coin === 'X'))).toEqual([
      ['X', 4_000, 15_000, 'missing'],
      ['X', 4_000, 15_000, 'missing'],
      ['X', 4_000, 19_001, 'refilled'],
      ['X', 19_001, 20_000, 'partial'],
    ]);
  });

  it('is quiet, and not missed, when every subscription must have come through', () => {
    const { clock, tape, gaps } = setUp(4_000);
    tape.restore([recorded]);
    tape.socket({ kind: 'up', socket: 0, atMs: 10_000 });
    clock.advance(600_000);
    expect(gaps).toHaveLength(12);
    expect(spans(gaps).at(-1)).toEqual(['X', 4_000, 70_000, 'missing']);
    tape.add([trade({ coin: 'X', venueTs: 609_000, tid: 2 })], true, 610_000, 0);
    expect(gaps).toHaveLength(12);
    expect(tape.connectedSpan).toEqual({ fromMs: 10_000, toMs: 609_000 });
  });
});

describe('a coin that two sockets carry', () => {
  const busy = Array.from({ length: 10 }, (_, i) => trade({ venueTs: 105_300 + i, tid: 100 + i }));

  /** Both sockets receive until 100 s; then both are silent, which is detected for the first at 105 s. */
  function stall() {
    const setting = setUp();
    const { clock, tape } = setting;
    for (const socket of [0, 1]) {
      tape.socket({ kind: 'up', socket, atMs: 5_000 });
      tape.add([trade({ venueTs: 8_000 })], true, 9_000, socket);
    }
    clock.advance(100_000 - clock.now());
    for (const socket of [0, 1]) tape.add([trade({ venueTs: 99_990, tid: 2 })], false, 100_000, socket);
    clock.advance(5_000);
    tape.socket({ kind: 'down', socket: 0, atMs: 105_000, lastDataMs: 100_000 });
    clock.advance(400);
    tape.socket({ kind: 'up', socket: 0, atMs: 105_400 });
    tape.add(busy, true, 105_400, 0);
    return setting;
  }
  const spans = (gaps: readonly TapeGap[]) =>
    gaps.map(({ coin, from, to, state }) => [coin, from, to, state]);

  it('has a gap where both were silent, though one was back before that was noticed of the other', () => {
    const { clock, tape, gaps } = stall();
    clock.advance(1_600);
    tape.socket({ kind: 'down', socket: 1, atMs: 107_000, lastDataMs: 100_000 });
    expect(spans(gaps)).toEqual([
      ['BTC', 99_990, 105_301, 'partial'],
      ['BTC', 98_990, 105_301, 'missing'],
    ]);
  });

  it('has it, too, when the one that was back is gone again by then', () => {
    const { clock, tape, gaps } = stall();
    clock.advance(600);
    tape.socket({ kind: 'down', socket: 0, atMs: 106_000, lastDataMs: 105_900 });
    clock.advance(1_000);
    tape.socket({ kind: 'down', socket: 1, atMs: 107_000, lastDataMs: 100_000 });
    clock.advance(1_000);
    tape.socket({ kind: 'up', socket: 0, atMs: 108_000 });
    tape.add([trade({ venueTs: 107_900, tid: 300 })], true, 108_000, 0);
    expect(gaps.some(({ from, to, state }) => state === 'missing' && from <= 99_000 && to >= 105_301)).toBe(
      true,
    );
  });

  it('has none when one was back long before the other went', () => {
    const { clock, tape, gaps } = stall();
    tape.socket({ kind: 'down', socket: 1, atMs: 105_400, lastDataMs: 100_000 });
    const reported = gaps.length;
    tape.socket({ kind: 'up', socket: 1, atMs: 105_500 });
    tape.add(busy, true, 105_500, 1);
    clock.advance(60_000);
    for (const socket of [0, 1]) tape.add([trade({ venueTs: 165_000, tid: 400 })], false, 165_100, socket);
    tape.socket({ kind: 'down', socket: 0, atMs: 165_400, lastDataMs: 165_100 });
    expect(gaps).toHaveLength(reported);
  });
});

it('has a gap where the clock was set forward, and begins a new span after it', () => {
  const { tape, gaps } = setUp();
  tape.clockStepped(10_000, 900_000);
  expect(gaps).toEqual([]);
  tape.socket({ kind: 'up', socket: 0, atMs: 5_000 });
  tape.add([trade({ venueTs: 8_000 })], false, 9_000, 0);
  tape.clockStepped(10_000, 900_000);
  expect(gaps).toMatchObject([{ coin: 'BTC', from: 9_000, to: 900_000, state: 'missing' }]);
  expect(tape.connectedSpan).toEqual({ fromMs: 900_000, toMs: 900_000 });
  tape.add([trade({ venueTs: 905_000, tid: 2 })], false, 905_500, 0);
  expect(tape.connectedSpan).toEqual({ fromMs: 900_000, toMs: 904_000 });
  tape.clockStepped(905_500, 905_000);
  expect(gaps).toHaveLength(1);
});

it('has a gap before the back-fill of a coin that is listed while the feed is up, if it may be cut off', () => {
  const { tape, gaps } = setUp();
  tape.socket({ kind: 'up', socket: 0, atMs: 5_000 });
  const backfill = (fromTs: number, count: number): readonly VenueTrade[] =>
    Array.from({ length: count }, (_, i) => trade({ venueTs: fromTs + i, tid: fromTs + i }));
  tape.add(backfill(8_000, 9), true, 9_000, 0);
  tape.add(backfill(8_008, 10), true, 9_100, 0);
  expect(gaps).toEqual([]);
  tape.add(backfill(60_000, 10), true, 61_000, 0);
  expect(gaps).toMatchObject([{ coin: 'BTC', from: 8_017, to: 60_001, state: 'partial' }]);
});

it('has no gap before the back-fill of a socket when another one delivers what it lacks', () => {
  const { tape, gaps } = setUp();
  for (const socket of [0, 1]) tape.socket({ kind: 'up', socket, atMs: 10_000 });
  tape.add([trade({ venueTs: 10_000, tid: 1 })], false, 10_010, 0);
  tape.add([trade({ venueTs: 10_100, tid: 2 })], false, 10_110, 0);
  // A burst: the back-fill does not reach back to the tape, and the live frame is still in flight.
  const burst = Array.from({ length: 10 }, (_, i) => trade({ venueTs: 10_900, tid: 100 + i }));
  tape.add(burst, true, 10_905, 1);
  tape.add([trade({ venueTs: 10_500, tid: 3 }), ...burst], false, 10_910, 0);
  tape.add([trade({ venueTs: 12_000, tid: 200 })], false, 12_010, 0);
  const span = { coin: 'BTC', from: 10_100, to: 10_901 };
  expect(gaps).toMatchObject([
    { ...span, state: 'partial' },
    { ...span, state: 'refilled' },
  ]);
});

it('does not call a time refilled that was missing when a later back-fill reaches back to trades after it', () => {
  const { clock, tape, gaps } = setUp();
  let tid = 0;
  const made = (venueTs: number): VenueTrade => trade({ venueTs, tid: (tid += 1) });
  tape.socket({ kind: 'up', socket: 0, atMs: clock.now() });
  for (let i = 0; i < 300; i += 1) {
    clock.advance(100);
    tape.add([made(clock.now())], false, clock.now(), 0);
  }
  const lastMs = clock.now();
  clock.advance(8_000);
  const first = Array.from({ length: 10 }, (_, i) => made(lastMs + 4_000 + i * 100));
  // The back-fill of another socket begins four seconds after the last trade.
  tape.socket({ kind: 'up', socket: 1, atMs: clock.now() });
  tape.add(first, true, clock.now(), 1);
  clock.advance(3_000);
  const live = made(clock.now() - 10);
  tape.add([live], false, clock.now(), 1);
  tape.add([...first.slice(1), live], true, clock.now(), 1);
  clock.advance(100);
  tape.add([made(clock.now())], false, clock.now(), 1);
  const byStart = new Map(gaps.map((gap) => [gap.from, gap]));
  const missing = [...byStart.values()].filter(({ state }) => state === 'missing');
  expect(missing.length).toBe(1);
  expect(missing[0]?.from).toBeLessThanOrEqual(lastMs);
  expect(missing[0]?.to).toBe(lastMs + 4_001);
});

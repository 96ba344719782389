import type { Trade } from '@crosstape/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { afterOutage, type Setting, setUp, tids, trade } from './testing/tape-setting.ts';

describe('the merge', () => {
  it('releases each trade once, however often and from however many sockets it comes', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ coin: fc.constantFrom('BTC', 'ETH'), step: fc.nat(2) }), {
          minLength: 1,
          maxLength: 60,
        }),
        fc.array(fc.nat(), { maxLength: 40 }),
        (rows, splits) => {
          let venueTs = 1_000;
          const all = rows.map(({ coin, step }, i) => {
            venueTs += step;
            return trade({ coin, venueTs, tid: i + 1 });
          });
          const { tape, released } = setUp();
          // The second socket repeats an arbitrary earlier stretch after each trade of the first.
          all.forEach((one, i) => {
            tape.add([one], false, venueTs, 0);
            const from = (splits[i] ?? 0) % (i + 1);
            for (const again of all.slice(from, i + 1)) tape.add([again], false, venueTs, 0);
          });
          expect(tids(released)).toEqual(tids(all as unknown as Trade[]));
          expect(released.every((one, i) => one.ts === all[i]?.venueTs && one.venueTs === undefined)).toBe(
            true,
          );
        },
      ),
    );
  });

  it('never lets tape time go back, and keeps the venue time of a trade that came late', () => {
    const { tape, released } = setUp();
    const rows = [
      trade({ venueTs: 1_000, tid: 1 }),
      trade({ venueTs: 990, tid: 2 }),
      trade({ venueTs: 1_001, tid: 3 }),
    ];
    tape.add(rows, false, 1_002, 0);
    expect(released.map(({ ts, venueTs }) => [ts, venueTs])).toEqual([
      [1_000, undefined],
      [1_000, 990],
      [1_001, undefined],
    ]);
  });

  it('puts a back-fill that comes newest first into the order of time', () => {
    const { tape, released } = setUp();
    tape.add(
      [trade({ venueTs: 3, tid: 3 }), trade({ venueTs: 2, tid: 2 }), trade({ venueTs: 1, tid: 1 })],
      true,
      4,
      0,
    );
    expect(tids(released)).toEqual([1, 2, 3]);
    expect(released.every(({ venueTs }) => venueTs === undefined)).toBe(true);
  });

  it('distinguishes trades with tid 0 by their content', () => {
    const { tape, released } = setUp();
    tape.add(
      [trade({ tid: 0, size: 1 }), trade({ tid: 0, size: 2 }), trade({ tid: 0, size: 1 })],
      false,
      1,
      0,
    );
    expect(released.map(({ size }) => size)).toEqual([1, 2]);
  });

  it('marks neighbouring fills of one taker order, and nothing else', () => {
    const { tape, released } = setUp();
    const a = { taker: '0xa' };
    const rows = [
      trade({ ...a, tid: 1 }),
      trade({ ...a, tid: 2 }),
      trade({ ...a, tid: 3, side: 'sell' }),
      trade({ ...a, tid: 4, side: 'sell', venueTs: 1_001 }),
      trade({ taker: '0xb', tid: 5, side: 'sell', venueTs: 1_001 }),
      trade({ tid: 6, venueTs: 1_001 }),
      trade({ tid: 7, venueTs: 1_001 }),
    ];
    tape.add(rows, false, 1_002, 0);
    tape.add([trade({ ...a, coin: 'ETH', tid: 8 })], false, 1_002, 0);
    expect(released.map(({ sameOrder }) => sameOrder)).toEqual([
      false,
      true,
      false,
      false,
      false,
      false,
      false,
      false,
    ]);
  });

  it('still knows a trade of a burst larger than either half of its memory', () => {
    const { tape, released } = setUp();
    const burst = Array.from({ length: 12_000 }, (_, i) => trade({ tid: i + 1 }));
    tape.add(burst, false, 1, 0);
    tape.add(burst, false, 2, 0);
    expect(released).toHaveLength(12_000);
    expect(tape.repeats).toBe(12_000);
  });
});

describe('an outage', () => {
  it('is none while another socket is up', () => {
    const { tape, gaps, released } = setUp();
    tape.socket({ kind: 'up', socket: 0, atMs: 1 });
    tape.socket({ kind: 'up', socket: 1, atMs: 2 });
    tape.socket({ kind: 'down', socket: 0, atMs: 3 });
    tape.socket({ kind: 'up', socket: 0, atMs: 4 });
    tape.add([trade({})], false, 5, 0);
    expect([gaps, released.length]).toEqual([[], 1]);
  });

  it('is refilled by a back-fill that reaches back to a known trade, which then stands before what came since', () => {
    const { tape, gaps, released } = afterOutage();
    tape.add([trade({ venueTs: 15_001, tid: 4 })], false, 15_002, 0);
    expect(tids(released)).toEqual([1]);
    tape.add(
      [
        trade({ venueTs: 12_000, tid: 3 }),
        trade({ venueTs: 11_000, tid: 2 }),
        trade({ venueTs: 8_900, tid: 1 }),
      ],
      true,
      15_010,
      0,
    );
    expect(tids(released)).toEqual([1, 2, 3, 4]);
    expect(released.every(({ venueTs }) => venueTs === undefined)).toBe(true);
    expect(gaps).toMatchObject([
      { coin: 'BTC', from: 8_000, to: 12_001, state: 'refilled' },
      { coin: 'BTC', from: 12_001, to: 15_000, state: 'partial' },
    ]);
  });

  it('is missing up to the oldest millisecond of a back-fill that begins later, which may be cut in the middle', () => {
    const { tape, gaps } = afterOutage();
    tape.add([trade({ venueTs: 12_000, tid: 3 })], true, 15_010, 0);
    expect(gaps).toMatchObject([
      { from: 8_000, to: 12_001, state: 'missing' },
      { from: 12_001, to: 15_000, state: 'partial' },
    ]);
  });

  it.each([
    ['made when it arrives', 15_000, 15_001],
    ['ahead of our clock', 15_040, 15_041],
    ['further ahead than a clock may be', 86_400_000, 20_000],
  ])('is missing including the only millisecond of a back-fill: %s', (_, venueTs, to) => {
    const { tape, gaps } = afterOutage();
    tape.add([trade({ venueTs, tid: 3 }), trade({ venueTs, tid: 4 })], true, 15_000, 1);
    expect(gaps).toMatchObject([{ from: 8_000, to, state: 'missing' }]);
  });

  it('is missing whole for a coin without back-fill, whose trades wait no longer than five seconds', () => {
    const { clock, tape, gaps, released } = afterOutage();
    tape.add([trade({ venueTs: 15_001, tid: 4 })], false, 15_002, 0);
    clock.advance(4_999);
    expect(tids(released)).toEqual([1]);
    clock.advance(1);
    expect(tids(released)).toEqual([1, 4]);
    expect(released.at(-1)?.recvLagMs).toBe(1);
    expect(gaps).toMatchObject([{ from: 8_000, to: 20_000, state: 'missing' }]);
  });

  it('that begins during the recovery from another one loses nothing that was held', () => {
    const { clock, tape, gaps, released } = afterOutage();
    tape.add([trade({ venueTs: 15_001, tid: 4 })], false, 15_002, 0);
    tape.socket({ kind: 'down', socket: 1, atMs: 16_000 });
    expect(tids(released)).toEqual([1, 4]);
    clock.advance(3_000);
    tape.socket({ kind: 'up', socket: 0, atMs: 18_000 });
    tape.add([trade({ venueTs: 17_000, tid: 5 }), trade({ venueTs: 15_001, tid: 4 })], true, 18_001, 0);
    expect(tids(released)).toEqual([1, 4, 5]);
    expect(gaps.slice(-2)).toMatchObject([
      { from: 15_000, to: 17_001, state: 'refilled' },
      { from: 17_001, to: 18_000, state: 'partial' },
    ]);
  });

  it('spans the time when the service was not running, and repeats nothing that was recorded before', () => {
    const { tape, gaps, released } = setUp(4_000);
    const before = {
      coin: 'BTC',
      venue: 'hyperliquid',
      side: 'buy' as const,
      price: 100,
      size: 0.1,
      notionalUsd: 10,
    };
    tape.restore([
      { ...before, ts: 3_900, tid: 1, sameOrder: false },
      { ...before, ts: 3_900, venueTs: 3_890, tid: 2, sameOrder: false },
    ]);
    tape.socket({ kind: 'up', socket: 0, atMs: 10_000 });
    tape.add(
      [
        trade({ venueTs: 3_890, tid: 2 }),
        trade({ venueTs: 3_900, tid: 1 }),
        trade({ venueTs: 9_000, tid: 3 }),
      ],
      true,
      10_001,
      0,
    );
    expect(tids(released)).toEqual([3]);
    expect(gaps).toMatchObject([
      { from: 4_000, to: 9_001, state: 'refilled' },
      { from: 9_001, to: 10_000, state: 'partial' },
    ]);
  });

  it('ends the connected span of the feed', () => {
    const { tape } = setUp();
    expect(tape.connectedSpan).toBeUndefined();
    tape.socket({ kind: 'up', socket: 0, atMs: 8_000 });
    tape.add([trade({ venueTs: 9_500 })], false, 9_500, 0);
    expect(tape.connectedSpan).toEqual({ fromMs: 8_000, toMs: 8_500 });
    tape.socket({ kind: 'down', socket: 0, atMs: 9_900 });
    expect(tape.connectedSpan).toEqual({ fromMs: 8_000, toMs: 8_500 });
    tape.socket({ kind: 'up', socket: 0, atMs: 12_000 });
    expect(tape.connectedSpan).toEqual({ fromMs: 12_000, toMs: 12_000 });
  });

  it('begins where a feed that lags had got to by then', () => {
    const { tape, clock, gaps } = setUp();
    tape.socket({ kind: 'up', socket: 0, atMs: 2_000 });
    tape.add([trade({ venueTs: 5_000 })], false, 9_000, 0);
    expect(tape.connectedSpan).toEqual({ fromMs: 2_000, toMs: 4_000 });
    tape.socket({ kind: 'down', socket: 0, atMs: 10_000, lastDataMs: 9_000 });
    tape.socket({ kind: 'up', socket: 1, atMs: 10_000 });
    clock.advance(5_000);
    expect(gaps).toMatchObject([{ from: 4_000, to: 15_000, state: 'missing' }]);
  });
});

/** Two sockets are up, and both have delivered. */
function twoUp(): Setting {
  const setting = setUp();
  for (const socket of [0, 1]) {
    setting.tape.socket({ kind: 'up', socket, atMs: 5_000 });
    for (const [i, ms] of [5_000, 9_000].entries())
      setting.tape.add([trade({ venueTs: ms, tid: i + 1 })], false, ms, socket);
  }
  return setting;
}

const unread = 'frames of the venue could not be read';

describe('a frame that cannot be read', () => {
  it('leaves no gap while another socket reads everything, which is sure after five seconds', () => {
    const { tape, gaps } = twoUp();
    for (const atMs of [9_050, 9_150]) {
      tape.refused({ socket: 0, atMs });
      for (const socket of [1, 0])
        tape.add([trade({ venueTs: atMs + 50, tid: atMs })], false, atMs + 50, socket);
    }
    expect(tape.connectedSpan).toEqual({ fromMs: 5_000, toMs: 8_050 });
    tape.add([trade({ venueTs: 14_200, tid: 3 })], false, 14_200, 1);
    expect(tape.connectedSpan).toEqual({ fromMs: 5_000, toMs: 13_200 });
    // Another one: the first socket has read its content.
    tape.refused({ socket: 1, atMs: 14_300 });
    tape.add([trade({ venueTs: 14_400, tid: 4 })], false, 14_400, 0);
    expect(gaps).toEqual([]);
  });

  it('on every socket leaves a gap, although each of them brings readable ones in between', () => {
    const { tape, gaps } = twoUp();
    tape.refused({ socket: 0, atMs: 9_050 });
    tape.add([trade({ venueTs: 9_060, tid: 2 })], false, 9_060, 0);
    tape.refused({ socket: 1, atMs: 9_065 });
    tape.add([trade({ venueTs: 9_070, tid: 2 })], false, 9_070, 1);
    expect(gaps).toEqual([{ coin: 'BTC', from: 8_050, to: 9_070, state: 'partial', reason: unread }]);
    tape.add([trade({ venueTs: 9_080, tid: 3 })], false, 9_080, 0);
    expect(gaps).toHaveLength(1);
    expect(tape.connectedSpan).toEqual({ fromMs: 9_070, toMs: 9_070 });
  });

  it('that comes late on one socket leaves a gap from when the other may have refused it first', () => {
    const { tape, gaps } = twoUp();
    for (let atMs = 9_100; atMs <= 18_100; atMs += 3_000) {
      tape.refused({ socket: 0, atMs });
      for (const socket of [0, 1])
        tape.add([trade({ venueTs: atMs + 50, tid: atMs })], false, atMs + 50, socket);
    }
    expect(tape.connectedSpan?.toMs).toBe(18_150 - 5_000 - 1_000);
    tape.refused({ socket: 1, atMs: 19_000 });
    tape.add([trade({ venueTs: 19_100, tid: 2 })], false, 19_100, 1);
    expect(gaps).toMatchObject([{ from: 19_000 - 5_000 - 1_000, to: 19_100 }]);
  });

  it('on every socket makes the time until the next trades partial for each coin, and begins a new stretch', () => {
    const { tape, gaps } = twoUp();
    tape.add([trade({ coin: 'ETH', venueTs: 9_000, tid: 9 })], false, 9_000, 1);
    tape.refused({ socket: 1, atMs: 9_010 });
    tape.refused({ socket: 0, atMs: 9_020 });
    expect(gaps).toEqual([]);
    tape.add([trade({ venueTs: 12_000, tid: 2 })], false, 12_000, 1);
    const gap = { from: 8_010, to: 12_000, state: 'partial', reason: unread };
    expect(gaps).toEqual([
      { coin: 'BTC', ...gap },
      { coin: 'ETH', ...gap },
    ]);
    expect(tape.connectedSpan).toEqual({ fromMs: 12_000, toMs: 12_000 });
    tape.add([trade({ venueTs: 14_000, tid: 3 })], false, 14_000, 1);
    expect(tape.connectedSpan).toEqual({ fromMs: 12_000, toMs: 13_000 });
    expect(gaps).toHaveLength(2);
  });

  it('leaves a gap although a socket that came up since delivers, or the one that was read well went down', () => {
    const late = twoUp();
    for (const socket of [0, 1]) late.tape.refused({ socket, atMs: 9_100 });
    late.tape.socket({ kind: 'up', socket: 2, atMs: 10_000 });
    late.tape.add([trade({ venueTs: 10_500, tid: 2 })], false, 10_500, 2);
    expect(late.gaps).toMatchObject([{ from: 8_100, to: 10_500, state: 'partial' }]);
    const left = twoUp();
    left.tape.refused({ socket: 0, atMs: 9_100 });
    left.tape.socket({ kind: 'down', socket: 1, atMs: 30_000, lastDataMs: 9_000 });
    left.tape.add([trade({ venueTs: 30_500, tid: 2 })], false, 30_500, 0);
    expect(left.gaps).toMatchObject([{ from: 8_100, to: 30_500, state: 'partial' }]);
  });

  it('repeatedly is one gap, reported again with the same start, at most once a second', () => {
    const { clock, tape, gaps } = twoUp();
    const stutter = (fromMs: number): void => {
      for (let atMs = fromMs; atMs < fromMs + 900; atMs += 10) {
        for (const socket of [0, 1]) tape.refused({ socket, atMs });
        tape.add([trade({ venueTs: atMs, tid: atMs })], false, atMs, 0);
        clock.advance(10);
      }
    };
    stutter(9_100);
    expect(gaps.map(({ from, to }) => [from, to])).toEqual([[8_100, 9_100]]);
    clock.advance(100);
    expect(gaps.at(-1)).toMatchObject({ from: 8_100, to: 9_990 });
    stutter(10_100);
    tape.flush();
    expect(gaps.at(-1)).toMatchObject({ from: 8_100, to: 10_990 });
    expect(gaps).toHaveLength(3);
    clock.advance(5_000);
    expect(gaps).toHaveLength(3);
  });

  it('within a minute of the previous one is the same gap, and later another', () => {
    const { clock, tape, gaps } = twoUp();
    for (const atMs of [9_100, 60_000, 180_000]) {
      clock.advance(60_000);
      for (const socket of [0, 1]) tape.refused({ socket, atMs });
      tape.add([trade({ venueTs: atMs + 10, tid: atMs })], false, atMs + 10, 0);
    }
    const odd = gaps.filter(({ reason }) => reason === unread);
    expect(odd.map(({ from, to }) => [from, to])).toEqual([
      [8_100, 9_110],
      [8_100, 60_010],
      [179_000, 180_010],
    ]);
  });

  it('after an outage is another gap than one before', () => {
    const { clock, tape, gaps } = twoUp();
    const stutter = (atMs: number): void => {
      for (const socket of [0, 1]) tape.refused({ socket, atMs });
      tape.add([trade({ venueTs: atMs + 100, tid: atMs })], false, atMs + 100, 0);
    };
    stutter(9_100);
    for (const socket of [0, 1]) tape.socket({ kind: 'down', socket, atMs: 20_000, lastDataMs: 19_000 });
    for (const socket of [0, 1]) tape.socket({ kind: 'up', socket, atMs: 21_000 });
    stutter(23_000);
    clock.advance(1_000);
    const odd = gaps.filter(({ reason }) => reason === unread);
    expect(odd.at(-1)).toMatchObject({ from: 22_000, to: 23_100 });
  });

  it('before an outage is part of it', () => {
    const { clock, tape, gaps } = twoUp();
    for (const socket of [0, 1]) tape.refused({ socket, atMs: 9_100 });
    for (const socket of [0, 1]) tape.socket({ kind: 'down', socket, atMs: 10_000 });
    clock.advance(5_000);
    tape.refused({ socket: 0, atMs: 15_000 });
    tape.socket({ kind: 'up', socket: 0, atMs: 15_000 });
    tape.add([trade({ tid: 3, venueTs: 12_000 }), trade({ venueTs: 9_000, tid: 2 })], true, 15_001, 0);
    expect(gaps.at(-2)).toMatchObject({ from: 8_000, to: 12_001, state: 'refilled' });
    expect(tape.connectedSpan).toEqual({ fromMs: 15_000, toMs: 15_000 });
  });
});

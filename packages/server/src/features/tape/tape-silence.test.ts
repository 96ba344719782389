import { describe, expect, it } from 'vitest';
import type { TapeGap } from './tape-gap.ts';
import { setUp, tids, trade } from './testing/tape-setting.ts';

/** A tape on which BTC and ETH trade ten times a second for a minute. */
function busy() {
  const setting = setUp();
  const { clock, tape } = setting;
  let tid = 0;
  const buy = (coin: string) => trade({ coin, venueTs: clock.now(), tid: (tid += 1) });
  const run = (forMs: number, coins: readonly string[] = ['BTC', 'ETH']) => {
    for (let passedMs = 0; passedMs < forMs; passedMs += 100) {
      clock.advance(100);
      for (const coin of coins) tape.add([buy(coin)], false, clock.now(), 0);
    }
  };
  /** The same, received eight seconds late. */
  const runLate = (forMs: number) => {
    for (let passedMs = 0; passedMs < forMs; passedMs += 100) {
      clock.advance(100);
      for (const coin of ['BTC', 'ETH'])
        tape.add([{ ...buy(coin), venueTs: clock.now() - 8_000 }], false, clock.now(), 0);
    }
  };
  tape.socket({ kind: 'up', socket: 0, atMs: clock.now() });
  run(60_000);
  return { ...setting, run, runLate, buy };
}

const states = (gaps: readonly TapeGap[]) => gaps.map(({ coin, state }) => `${coin} ${state}`);

describe('a silence of all coins that the sockets survive', () => {
  it.each([2_500, 4_000, 8_000, 15_000, 30_000, 50_000])(
    'is entered as partial and every coin is subscribed to again: %i ms',
    (silentMs) => {
      const { clock, run, gaps, suspected } = busy();
      for (let time = 0; time < 3; time += 1) {
        gaps.length = 0;
        suspected.length = 0;
        const lastMs = clock.now();
        clock.advance(silentMs);
        run(100);
        expect(new Set(states(gaps))).toEqual(new Set(['BTC partial', 'ETH partial']));
        run(30_000);
        for (const { from, to } of gaps.slice(-2)) {
          expect(from).toBeLessThanOrEqual(lastMs);
          expect(to).toBeGreaterThanOrEqual(lastMs + silentMs);
        }
        expect(suspected.flat().toSorted()).toEqual(['BTC', 'ETH']);
      }
    },
  );

  it('is noticed on a feed that lags, where trades from before it arrive during it', () => {
    const { clock, run, runLate, gaps } = busy();
    runLate(20_000);
    const lastTs = clock.now() - 8_000;
    run(100);
    expect(new Set(states(gaps))).toEqual(new Set(['BTC partial', 'ETH partial']));
    for (const { from } of gaps) expect(from).toBeLessThanOrEqual(lastTs);
  });

  it('is refilled when the back-fill holds a trade from before it, and what it brings stands first', () => {
    const { clock, tape, run, buy, gaps, released } = busy();
    const before = buy('BTC');
    tape.add([before], false, clock.now(), 0);
    clock.advance(1_000);
    const lost = buy('BTC');
    clock.advance(3_000);
    run(100, ['BTC']);
    const count = released.length;
    expect(released).not.toContainEqual(expect.objectContaining({ tid: lost.tid }));
    tape.add([before, lost], true, clock.now(), 0);
    expect(tids(released.slice(count))).toEqual([lost.tid, lost.tid + 1]);
    expect(states(gaps.filter(({ coin }) => coin === 'BTC'))).toEqual([
      'BTC partial',
      'BTC refilled',
      'BTC partial',
    ]);
  });

  it('leaves a gap up to the oldest trade of a back-fill that does not reach back', () => {
    const { clock, tape, run, buy, gaps } = busy();
    const lastMs = clock.now();
    clock.advance(4_000);
    const oldest = buy('BTC');
    clock.advance(100);
    run(100, ['BTC']);
    tape.add([oldest], true, clock.now(), 0);
    const [missing, rest] = gaps.filter(({ coin }) => coin === 'BTC').slice(1);
    expect(missing).toMatchObject({ state: 'missing', to: oldest.venueTs + 1 });
    expect(missing?.from).toBeLessThanOrEqual(lastMs);
    expect(rest).toMatchObject({ state: 'partial', from: oldest.venueTs + 1 });
  });

  it('stays partial when no back-fill comes, and the trades that were held back are released', () => {
    const { clock, run, gaps, released } = busy();
    clock.advance(4_000);
    const count = released.length;
    run(6_000);
    expect(released.length - count).toBe(120);
    expect(states(gaps)).toEqual(['BTC partial', 'ETH partial', 'BTC partial', 'ETH partial']);
  });
});

describe('a silence of one coin while others trade', () => {
  it('is entered as partial within 35 s', () => {
    const { clock, run, gaps, suspected } = busy();
    const lastMs = clock.now();
    run(35_000, ['ETH']);
    expect(states(gaps)).toContain('BTC partial');
    expect(gaps[0]?.from).toBeLessThanOrEqual(lastMs);
    expect(suspected).toEqual([['BTC']]);
  });

  it('begins at its last trade, however late that was, though the feed has caught up since', () => {
    const { clock, run, runLate, gaps } = busy();
    runLate(20_000);
    const lastTs = clock.now() - 8_000;
    run(35_000, ['ETH']);
    const [partial] = gaps.filter(({ coin, state }) => coin === 'BTC' && state === 'partial');
    expect(partial?.from).toBeLessThanOrEqual(lastTs);
  });

  it('suspects a coin less and less often when the back-fill shows that nothing was traded', () => {
    const { clock, tape, run, buy, suspected } = busy();
    const last = buy('BTC');
    tape.add([last], false, clock.now(), 0);
    let answered = 0;
    const runAnswered = (forMs: number) => {
      for (let passedMs = 0; passedMs < forMs; passedMs += 1_000) {
        run(1_000, ['ETH']);
        for (; answered < suspected.length; answered += 1) tape.add([last], true, clock.now(), 0);
      }
    };
    runAnswered(20 * 60_000);
    const first = suspected.length;
    expect(first).toBeGreaterThan(0);
    runAnswered(20 * 60_000);
    expect(suspected.length - first).toBeLessThan(first);
  });
});

it('does not suspect slow trades', () => {
  const { clock, tape, gaps } = setUp();
  tape.socket({ kind: 'up', socket: 0, atMs: clock.now() });
  for (let tid = 1; tid < 500; tid += 1) {
    clock.advance(4_000 * (1 + (tid % 7)));
    tape.add([trade({ venueTs: clock.now(), tid })], false, clock.now(), 0);
  }
  expect(gaps).toEqual([]);
});

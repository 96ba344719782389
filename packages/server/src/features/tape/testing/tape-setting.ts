import { ManualClock, type Trade, type VenueTrade } from '@crosstape/core';
import type { TapeGap } from '../tape-gap.ts';
import { Tape } from '../tape.ts';

/** A tape, and its output. */
export interface Setting {
  readonly clock: ManualClock;
  readonly tape: Tape;
  readonly released: Trade[];
  readonly gaps: TapeGap[];
  /** The coins of each request to subscribe again. */
  readonly suspected: (readonly string[])[];
}

/** At 10 s. */
export function setUp(lastRecordedMs?: number): Setting {
  const clock = new ManualClock(10_000);
  const released: Trade[] = [];
  const gaps: TapeGap[] = [];
  const suspected: (readonly string[])[] = [];
  const tape = new Tape({
    venue: 'hyperliquid',
    clock,
    release: (one) => released.push(one),
    onGap: (gap) => gaps.push(gap),
    onSuspected: (coins) => suspected.push(coins),
    ...(lastRecordedMs === undefined ? {} : { lastRecordedMs }),
  });
  return { clock, tape, released, gaps, suspected };
}

/** One socket was up until its last message at 9_000, and all are down since. */
export function afterOutage(): Setting {
  const setting = setUp();
  setting.tape.socket({ kind: 'up', socket: 0, atMs: 8_000 });
  setting.tape.add([trade({ venueTs: 8_900, tid: 1 })], false, 9_000, 0);
  setting.tape.socket({ kind: 'down', socket: 0, atMs: 10_000 });
  setting.clock.advance(5_000);
  setting.tape.socket({ kind: 'up', socket: 1, atMs: 15_000 });
  return setting;
}

export function trade(part: Partial<VenueTrade>): VenueTrade {
  return { coin: 'BTC', side: 'buy', price: 100, size: 0.1, venueTs: 1_000, tid: 1, ...part };
}

export const tids = (trades: readonly Trade[]): readonly number[] => trades.map(({ tid }) => tid);

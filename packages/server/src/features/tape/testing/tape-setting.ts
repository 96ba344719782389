import { ManualClock, type Trade, type VenueTrade } from '@crosstape/core';
import { type Hole, Tape } from '../tape.ts';

/** A tape, and what it gave. */
export interface Setting {
  readonly clock: ManualClock;
  readonly tape: Tape;
  readonly released: Trade[];
  readonly holes: Hole[];
  /** The coins of each request to subscribe again. */
  readonly doubted: (readonly string[])[];
}

/** At 10 s. */
export function setUp(lastHeardMs?: number): Setting {
  const clock = new ManualClock(10_000);
  const released: Trade[] = [];
  const holes: Hole[] = [];
  const doubted: (readonly string[])[] = [];
  const tape = new Tape({
    venue: 'hyperliquid',
    clock,
    release: (one) => released.push(one),
    onHole: (hole) => holes.push(hole),
    onDoubt: (coins) => doubted.push(coins),
    ...(lastHeardMs === undefined ? {} : { lastHeardMs }),
  });
  return { clock, tape, released, holes, doubted };
}

export function trade(part: Partial<VenueTrade>): VenueTrade {
  return { coin: 'BTC', side: 'buy', price: 100, size: 0.1, venueTs: 1_000, tid: 1, ...part };
}

export const tids = (trades: readonly Trade[]): readonly number[] => trades.map(({ tid }) => tid);

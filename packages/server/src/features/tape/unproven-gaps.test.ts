import { describe, expect, it } from 'vitest';
import { afterOutage, trade } from './testing/tape-setting.ts';

describe('the end of a gap that a back-fill does not prove', () => {
  it('is proven to its end by the first live trade on the same socket that happened after it', () => {
    const { tape, gaps } = afterOutage();
    tape.add([trade({ venueTs: 12_000, tid: 3 }), trade({ venueTs: 8_900, tid: 1 })], true, 15_010, 1);
    const reported = gaps.length;
    // It may have been in flight for up to a second, like earlier ones.
    tape.add([trade({ coin: 'ETH', venueTs: 15_999, tid: 4 })], false, 16_000, 1);
    expect(gaps).toHaveLength(reported);
    expect(tape.connectedSpan?.toMs).toBe(15_000);
    tape.add([trade({ coin: 'ETH', venueTs: 16_000, tid: 5 })], false, 16_010, 1);
    expect(gaps.slice(reported)).toMatchObject([
      { coin: 'BTC', from: 12_001, to: 15_000, state: 'refilled' },
    ]);
  });

  it('is proven by the other socket that carries the coin once the one with the back-fill is gone', () => {
    const { tape, gaps } = afterOutage();
    const backfill = [trade({ venueTs: 12_000, tid: 3 }), trade({ venueTs: 8_900, tid: 1 })];
    tape.add(backfill, true, 15_010, 1);
    tape.socket({ kind: 'up', socket: 2, atMs: 15_020 });
    tape.add(backfill, true, 15_030, 2);
    tape.socket({ kind: 'down', socket: 1, atMs: 15_040 });
    tape.add([trade({ venueTs: 16_000, tid: 4 })], false, 16_010, 2);
    expect(gaps.at(-1)).toMatchObject({ from: 12_001, to: 15_000, state: 'refilled' });
  });
});

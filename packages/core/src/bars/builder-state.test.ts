import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBuilder, resumeBuilder } from './bar-builder.ts';
import { BadState, decodeState, encodeState } from './builder-state.ts';
import { randomSpecs, randomTape, specOf, toColumns } from './random-builds.fixture.ts';
import { runs } from '../../../../test/runs.ts';

const anySpec = fc.oneof(...Object.values(randomSpecs));

function someState(): Uint8Array {
  const builder = createBuilder(specOf('pnf', { boxTicks: 2 }, 0.5));
  const trades = [3000, 3010, 2970].map((price, i) => ({
    ts: 1_700_000_000_000 + i,
    price: BigInt(price) * 10_000_000n,
    size: 12_345n,
    isBuy: i > 0,
  }));
  builder.add(toColumns(trades, { priceDecimals: 1, sizeDecimals: 8 }));
  return builder.state();
}

describe('a builder state', () => {
  it('returns its spec, counts and cursor', () => {
    const state = decodeState(someState());
    expect(state).toMatchObject({
      spec: specOf('pnf', { boxTicks: 2 }, 0.5),
      trades: 3,
      firstTs: 1_700_000_000_000,
      cursor: { ts: 1_700_000_000_002, count: 1 },
      bars: 1,
      previousCloseTs: 1_700_000_000_001,
      memory: [-1, 300, 297],
    });
    expect(state.open).toMatchObject({ trades: 1, open: 29_700_000_000n, delta: 12_345n });
  });

  it('is small', () => {
    expect(someState().length).toBeLessThan(160);
  });

  it('before the first trade is a beginning', () => {
    const state = createBuilder(specOf('range', { rangeTicks: 5 }, 1)).state();
    const resumed = resumeBuilder(state);
    expect([resumed.cursor, resumed.open, resumed.trades]).toEqual([null, null, 0]);
    expect(resumed.state()).toEqual(state);
  });

  it('comes back byte by byte after a resume', () => {
    fc.assert(
      fc.property(randomTape, anySpec, (tape, spec) => {
        const builder = createBuilder(spec);
        builder.add(toColumns(tape.trades, tape.scale));
        expect(resumeBuilder(builder.state()).state()).toEqual(builder.state());
      }),
    );
  });

  it('is refused when cut short at any byte, or when something follows', () => {
    const state = someState();
    for (let length = 0; length < state.length; length += 1) {
      expect(() => resumeBuilder(state.slice(0, length))).toThrow(BadState);
    }
    expect(() => resumeBuilder(Uint8Array.of(...state, 0))).toThrow('bytes are left over');
  });

  it('is refused or usable, never worse, when bytes are damaged', () => {
    const state = someState();
    const columns = toColumns([{ ts: 2 ** 52, price: 100n, size: 1n, isBuy: true }], {
      priceDecimals: 8,
      sizeDecimals: 8,
    });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(state.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 }),
        (flips) => {
          const damaged = state.slice();
          for (const [at, byte] of flips) damaged[at] = byte;
          try {
            resumeBuilder(damaged).add(columns);
          } catch (error) {
            expect(error instanceof BadState || error instanceof RangeError).toBe(true);
          }
        },
      ),
      { numRuns: runs(3000) },
    );
  });

  it('is refused when it is anything else', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(() => resumeBuilder(bytes)).toThrow(BadState);
        expect(() => resumeBuilder(Uint8Array.of(0x53, 1, ...bytes))).toThrow(BadState);
      }),
    );
  });

  it('rejects an impossible rule state', () => {
    const state = decodeState(someState());
    expect(() => resumeBuilder(encodeState({ ...state, memory: [2, 0, 0] }))).toThrow('out of range');
    expect(() => resumeBuilder(encodeState({ ...state, bars: 9 }))).toThrow('counts contradict');
    const open = { ...state.open!, high: 1n };
    expect(() => resumeBuilder(encodeState({ ...state, open }))).toThrow('sums of its open bar contradict');
    const huge = { ...state.open!, notional: 2n ** 200n };
    expect(() => resumeBuilder(encodeState({ ...state, open: huge }))).toThrow(
      'too large to be kept exactly',
    );
  });

  it('of another version is refused by name', () => {
    const state = someState();
    state[1] = 9;
    expect(() => resumeBuilder(state)).toThrow('version 9 is not known');
  });
});

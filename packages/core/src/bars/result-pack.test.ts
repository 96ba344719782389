import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromBase64 } from '../base64.ts';
import { createBuilder } from './bar-builder.ts';
import { barAt, createBarColumns } from './bar-columns.ts';
import { BAR_JSON_BYTES_MIN, barsToJson } from './bars-to-json.ts';
import { markComplete } from './mark-complete.ts';
import {
  closedBars,
  extremeTape,
  randomSpecs,
  randomTape,
  specOf,
  toColumns,
  type RandomTape,
} from './random-builds.fixture.ts';
import {
  BadPack,
  barsInPack,
  decodePack,
  decodePackInTurns,
  encodePack,
  type ResultPack,
} from './result-pack.ts';
import type { BarSpec } from './bar-kind.ts';
import { runs } from '../../../../test/runs.ts';

function packOf(tape: RandomTape, spec: BarSpec): ResultPack {
  const builder = createBuilder(spec);
  builder.add(toColumns(tape.trades, tape.scale));
  const from = tape.trades.at(0)!.ts + 3;
  const gaps = [{ from, to: from + 500, reason: 'no socket was up (⚡)' }];
  return {
    coin: 'kPEPE',
    spec,
    bars: builder.bars,
    open: markComplete(builder.bars, builder.open, gaps),
    state: builder.state(),
    stats: {
      trades: builder.trades,
      bars: builder.bars.length,
      firstTs: builder.firstTs,
      lastTs: builder.cursor?.ts ?? null,
      gaps,
      degraded: false,
      tick: spec.tick,
      buildMs: 12.5,
    },
  };
}

const plain = ({ bars, ...rest }: ResultPack) => ({
  ...rest,
  firstIndex: bars.firstIndex,
  previousCloseTs: bars.previousCloseTs,
  bars: Array.from({ length: bars.length }, (_, i) => barAt(bars, i)),
});

const anySpec = fc.oneof(...Object.values(randomSpecs));
const somePack = fc
  .sample(
    fc
      .tuple(randomTape, fc.constant(specOf('pnf', { boxTicks: 2 }, 0.5)))
      .map(([tape, spec]) => packOf(tape, spec))
      .filter((pack) => pack.bars.length > 3),
    { numRuns: 1, seed: 7 },
  )
  .at(0)!;
const someBytes = encodePack(somePack);

describe('a result pack', () => {
  it('comes back as it was', () => {
    fc.assert(
      fc.property(fc.oneof(randomTape, extremeTape), anySpec, (tape, spec) => {
        const pack = packOf(tape, spec);
        const decoded = decodePack(encodePack(pack));
        expect(barsInPack(encodePack(pack))).toBe(pack.bars.length);
        expect(plain(decoded)).toEqual(plain(pack));
        expect(encodePack(decoded)).toEqual(encodePack(pack));
      }),
      { numRuns: runs(200) },
    );
  });

  it('is decoded in turns, a few thousand numbers in each', async () => {
    const bars = createBarColumns({ capacity: 40_000 });
    bars.length = 40_000;
    bars.openTs.forEach((_, i) => (bars.openTs[i] = 1_000 * i));
    bars.notionalUsd.fill(Math.PI);
    const spec = specOf('time', { intervalMs: 1_000 }, 1);
    const bytes = encodePack({ ...somePack, spec, bars, open: null });
    let turns = 0;
    const { bars: decoded } = await decodePackInTurns(bytes, async () => void (turns += 1));
    expect(decoded.length).toBe(bars.length);
    expect(decoded.openTs.every((ts, i) => ts === 1_000 * i)).toBe(true);
    expect(decoded.notionalUsd.every((value) => value === Math.PI)).toBe(true);
    // 15 columns of three parts each, and six groups that are not floats.
    expect(turns).toBe(15 * 3 + 6);
    await expect(decodePackInTurns(bytes.slice(0, -1), async () => {})).rejects.toThrow(BadPack);
  });

  it('holds a build without trades', () => {
    const spec = specOf('tick', {}, 1);
    const builder = createBuilder(spec);
    const stats = { ...somePack.stats, trades: 0, bars: 0, firstTs: null, lastTs: null };
    const pack = { coin: 'BTC', spec, bars: builder.bars, open: builder.open, state: builder.state(), stats };
    expect(plain(decodePack(encodePack(pack)))).toEqual(plain(pack));
  });

  it('takes few bytes per bar', () => {
    const trades = Array.from({ length: 10_000 }, (_, i) => ({
      ts: 1_700_000_000_000 + i * 40,
      price: BigInt(1_000_000 + Math.round(500 * Math.sin(i / 90))) * 10_000_000n,
      size: BigInt((i * 7919) % 5000) * 1000n,
      isBuy: i % 3 > 0,
    }));
    const builder = createBuilder(specOf('tick', { trades: 50 }, 1));
    builder.add(toColumns(trades, { priceDecimals: 1, sizeDecimals: 5 }));
    const { bars, open } = builder;
    const bytes = encodePack({ ...somePack, spec: builder.spec, bars, open, state: builder.state() });
    expect((bytes.length - 1200) / bars.length).toBeLessThan(32);
  });

  it('is refused when cut short at any byte, or when something follows', () => {
    for (let length = 0; length < someBytes.length; length += 1) {
      expect(() => decodePack(someBytes.slice(0, length))).toThrow(BadPack);
    }
    expect(() => decodePack(Uint8Array.of(...someBytes, 0))).toThrow('bytes are left over');
  });

  it('is refused or readable, never worse, when bytes are damaged', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(someBytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 }),
        (flips) => {
          const damaged = someBytes.slice();
          for (const [at, byte] of flips) damaged[at] = byte;
          try {
            JSON.stringify(barsToJson(decodePack(damaged)));
          } catch (error) {
            expect(error).toBeInstanceOf(BadPack);
          }
        },
      ),
      { numRuns: runs(3000) },
    );
  });

  it('is refused when it is anything else', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(() => decodePack(bytes)).toThrow(BadPack);
        expect(() => decodePack(Uint8Array.of(0x50, 1, ...bytes))).toThrow(BadPack);
      }),
    );
  });

  it('cannot ask for more memory than it has bytes', () => {
    const { bars } = createBuilder(somePack.spec);
    const empty = encodePack({ ...somePack, bars });
    // No bars: 7 groups and one extra, each a byte of decimals, come after the count.
    const hostile = Uint8Array.of(...empty.slice(0, -9), 0xff, 0xff, 0xff, 0x00, ...empty.slice(-8));
    expect(() => decodePack(hostile)).toThrow('it cannot hold 2097151 bars');
  });
});

describe('a result as JSON', () => {
  it('carries spec, bars, open bar, state and stats', () => {
    const pack = somePack;
    const result = barsToJson(pack);
    expect(Object.keys(result)).toEqual(['coin', 'kind', 'params', 'tick', 'bars', 'open', 'state', 'stats']);
    expect(result.bars).toEqual(plain(pack).bars);
    expect(fromBase64(result.state)).toEqual(pack.state);
    expect(result).toMatchObject({ coin: pack.coin, ...pack.spec, open: pack.open, stats: pack.stats });
  });

  it('shows every number as its exact decimal', () => {
    const builder = createBuilder(specOf('tick', { trades: 3 }, 1));
    const trades = [1n, 2n, 3n].map((size) => ({
      ts: 1,
      price: 10_000_000n,
      size: size * 10_000_000n,
      isBuy: true,
    }));
    builder.add(toColumns(trades, { priceDecimals: 1, sizeDecimals: 1 }));
    expect(JSON.stringify(closedBars(builder))).toContain('"volume":0.6,"buyVolume":0.6,"notionalUsd":0.06,');
  });

  it('has no bar shorter than the least length it states', () => {
    const builder = createBuilder(specOf('tick', { trades: 1 }, 1));
    builder.add(
      toColumns([{ ts: 0, price: 0n, size: 0n, isBuy: true }], { priceDecimals: 0, sizeDecimals: 0 }),
    );
    expect(JSON.stringify(closedBars(builder).at(0)).length).toBeGreaterThanOrEqual(BAR_JSON_BYTES_MIN);
  });
});

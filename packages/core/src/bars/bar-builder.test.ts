import { readdirSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { lendTicks } from '../ticks/decode-ticks.ts';
import { encodeTicks } from '../ticks/encode-ticks.ts';
import { type BarBuilder, createBuilder, resumeBuilder } from './bar-builder.ts';
import { decodeState } from './builder-state.ts';
import { barKinds } from './kinds/index.ts';
import {
  closedBars,
  extremeTape,
  randomSpecs,
  randomTape,
  specOf,
  toColumns,
} from './random-builds.fixture.ts';
import { type PlainTrade, referenceBars } from './reference-bars.fixture.ts';
import { DECIMALS_MAX, type Scale } from './scale.ts';
import { runs } from '../../../../test/runs.ts';

const kindNames = barKinds.map((kind) => kind.name);
const scale: Scale = { priceDecimals: 1, sizeDecimals: 2 };

function randomSpec(kind: string) {
  const arbitrary = randomSpecs[kind];
  if (!arbitrary) throw new Error(`no random specs of ${kind} bars`);
  return arbitrary;
}

function build(builder: BarBuilder, trades: readonly PlainTrade[], at: Scale): BarBuilder {
  builder.add(toColumns(trades, at));
  return builder;
}

function exact(value: number, decimals: number): bigint {
  return BigInt(value.toFixed(decimals).replace('.', ''));
}

function trade(ts: number): PlainTrade {
  return { ts, price: 10n ** 9n, size: 10n ** 8n, isBuy: true };
}

describe.each(kindNames)('%s bars', (kind) => {
  it('are those of the rule written down trade by trade', () => {
    fc.assert(
      fc.property(randomTape, randomSpec(kind), (tape, spec) => {
        const builder = build(createBuilder(spec), tape.trades, tape.scale);
        const expected = referenceBars(spec, tape.trades);
        expect(closedBars(builder)).toEqual(expected.bars);
        expect(builder.open).toEqual(expected.open);
      }),
      { numRuns: runs(150) },
    );
  });

  it('stay exact where products and sums pass 2^53', () => {
    const spec = kind === 'time' ? fc.constant(specOf('time', {}, 1)) : randomSpec(kind);
    const large = spec.map((one) => ({
      ...one,
      params: {
        ...one.params,
        ...(kind === 'volume' ? { volume: 2e8 } : {}),
        ...(kind === 'delta' ? { delta: 2e8 } : {}),
        ...(one.params['unit'] === 'usd' ? { [kind]: 8.1e15 } : {}),
        ...('boxTicks' in one.params ? { boxTicks: 1_000_000 } : {}),
        ...('rangeTicks' in one.params ? { rangeTicks: 1_000_000 } : {}),
        ...(kind === 'tick' ? { trades: 20 } : {}),
      },
    }));
    fc.assert(
      fc.property(extremeTape, large, (tape, one) => {
        const builder = build(createBuilder(one), tape.trades, tape.scale);
        const expected = referenceBars(one, tape.trades);
        expect(closedBars(builder)).toEqual(expected.bars);
        expect(builder.open).toEqual(expected.open);
        const resumed = resumeBuilder(builder.state());
        expect(resumed.open).toEqual(expected.open);
        expect(resumed.state()).toEqual(builder.state());
      }),
    );
  });

  it('carry on from a state as if nothing had happened', () => {
    fc.assert(
      fc.property(randomTape, randomSpec(kind), fc.nat(), (tape, spec, cut) => {
        const { trades } = tape;
        const at = cut % (trades.length + 1);
        const whole = build(createBuilder(spec), trades, tape.scale);
        const first = build(createBuilder(spec), trades.slice(0, at), tape.scale);
        const second = build(resumeBuilder(first.state()), trades.slice(at), tape.scale);
        expect([...closedBars(first), ...closedBars(second)]).toEqual(closedBars(whole));
        expect(second.open).toEqual(whole.open);
        expect(second.state()).toEqual(whole.state());
        expect(second.cursor).toEqual(whole.cursor);
        expect([second.trades, second.firstTs]).toEqual([whole.trades, whole.firstTs]);
      }),
      { numRuns: runs(100) },
    );
  });

  it('depend neither on how trades are cut into columns nor on their decimals', () => {
    const cuts = fc.array(
      fc.record({
        length: fc.integer({ min: 0, max: 30 }),
        morePriceDecimals: fc.integer({ min: 0, max: 5 }),
        moreSizeDecimals: fc.integer({ min: 0, max: 5 }),
        isLent: fc.boolean(),
      }),
      { maxLength: 10 },
    );
    fc.assert(
      fc.property(randomTape, randomSpec(kind), cuts, (tape, spec, pieces) => {
        const whole = build(createBuilder(spec), tape.trades, tape.scale);
        const cut = createBuilder(spec);
        let at = 0;
        for (const { length, morePriceDecimals, moreSizeDecimals, isLent } of pieces) {
          const part = tape.trades.slice(at, at + length);
          at += part.length;
          const finer = {
            priceDecimals: Math.min(DECIMALS_MAX, tape.scale.priceDecimals + morePriceDecimals),
            sizeDecimals: Math.min(DECIMALS_MAX, tape.scale.sizeDecimals + moreSizeDecimals),
          };
          if (!isLent) build(cut, part, finer);
          else {
            // Two builders share one loan: the first may rescale it to finer decimals.
            const lent = lendTicks(encodeTicks(toColumns(part, finer)));
            const other = createBuilder(spec);
            cut.add(lent);
            other.add(lent);
            expect(other.trades).toBe(part.length);
            const alone = build(createBuilder(spec), part, finer);
            expect(closedBars(other)).toEqual(closedBars(alone));
          }
        }
        const columns = toColumns(tape.trades, tape.scale);
        cut.add(columns, at, columns.length);
        expect(closedBars(cut)).toEqual(closedBars(whole));
        expect(cut.open).toEqual(whole.open);
        expect(cut.state()).toEqual(whole.state());
      }),
      { numRuns: runs(100) },
    );
  });

  it('add up to the trades exactly', () => {
    fc.assert(
      fc.property(randomTape, randomSpec(kind), ({ trades, scale: at }, spec) => {
        const builder = build(createBuilder(spec), trades, at);
        const all = [...closedBars(builder), ...(builder.open ? [builder.open] : [])];
        const total = (of: (bar: (typeof all)[number]) => bigint): bigint =>
          all.reduce((sum, bar) => sum + of(bar), 0n);
        const traded = (of: (trade: PlainTrade) => bigint): bigint =>
          trades.reduce((sum, one) => sum + of(one), 0n);
        expect(all.reduce((sum, bar) => sum + bar.trades, 0)).toBe(trades.length);
        expect(total((bar) => exact(bar.volume, 8))).toBe(traded((one) => one.size));
        expect(total((bar) => exact(bar.buyVolume, 8))).toBe(traded((one) => (one.isBuy ? one.size : 0n)));
        expect(total((bar) => exact(bar.delta, 8))).toBe(traded((one) => (one.isBuy ? one.size : -one.size)));
        expect(total((bar) => exact(bar.notionalUsd, 6))).toBe(
          traded((one) => one.price * one.size) / 10n ** 10n,
        );
      }),
    );
  });
});

describe('sums that pass 2^53 between calls', () => {
  const large = 2 ** 52 - 1;
  const whole: Scale = { priceDecimals: 0, sizeDecimals: 0 };

  /** One trade per call, so that no single call adds a large sum. */
  const buildSlowly = (
    kind: string,
    params: Record<string, unknown>,
    price: number,
    sizes: readonly number[],
  ) => {
    const spec = specOf(kind, params, 1);
    const trades = sizes.map((size, ts) => ({
      ts,
      price: BigInt(price) * 10n ** 8n,
      size: BigInt(size) * 10n ** 8n,
      isBuy: ts % 3 > 0,
    }));
    const builder = createBuilder(spec);
    for (const one of trades) build(builder, [one], whole);
    const expected = referenceBars(spec, trades);
    expect(closedBars(builder)).toEqual(expected.bars);
    expect(builder.open).toEqual(expected.open);
    return decodeState(builder.state()).open;
  };

  it('stay exact in the volume', () => {
    const sizes = [large, large, 3, large, large, large, 5];
    expect(buildSlowly('tick', {}, 1, sizes)).toMatchObject({
      volume: (5n * BigInt(large) + 8n) * 10n ** 8n,
      delta: BigInt(-large + large + 3 - large + 2 * large - 5) * 10n ** 8n,
    });
  });

  it('stay exact in price × size', () => {
    const sizes = Array.from({ length: 9 }, () => (large - 1) / 2);
    const notional = 2n * BigInt(large - 1) * 10n ** 16n;
    expect(buildSlowly('tick', {}, 2, sizes.slice(0, 2))).toMatchObject({ notional });
    expect(buildSlowly('tick', {}, 2, sizes)).toMatchObject({
      notional: 9n * BigInt(large - 1) * 10n ** 16n,
      buyNotional: 6n * BigInt(large - 1) * 10n ** 16n,
    });
  });

  it('reach a threshold beyond 2^53 at the very trade', () => {
    const volume = 2 ** 53 + 2;
    const ones = [2 ** 53 - 1, 1, 1, 1, 1];
    buildSlowly('volume', { volume }, 1, ones);
    buildSlowly('volume', { volume, unit: 'usd' }, 1, ones);
    buildSlowly('delta', { delta: volume }, 1, [2 ** 53 - 1, 1, 1, 1, 2, 2, 1, 5]);
  });
});

describe('a builder', () => {
  it('returns the last time and the number of trades of that millisecond', () => {
    const builder = createBuilder(specOf('tick', {}, 1));
    expect(builder.cursor).toBeNull();
    build(builder, [trade(5), trade(7), trade(7)], scale);
    expect(builder.cursor).toEqual({ ts: 7, count: 2 });
    build(builder, [trade(7)], scale);
    expect(builder.cursor).toEqual({ ts: 7, count: 3 });
    build(builder, [trade(7), trade(8)], scale);
    expect(builder.cursor).toEqual({ ts: 8, count: 1 });
    build(builder, [], scale);
    expect(builder.cursor).toEqual({ ts: 8, count: 1 });
  });

  it('takes a part of the columns', () => {
    const builder = createBuilder(specOf('tick', { trades: 2 }, 1));
    builder.add(toColumns([1, 2, 3, 4, 5].map(trade), scale), 1, 4);
    expect(closedBars(builder)).toMatchObject([{ openTs: 2, closeTs: 3, trades: 2 }]);
    expect(builder.open).toMatchObject({ index: 1, openTs: 4, trades: 1 });
    expect(() => builder.add(toColumns([trade(9)], scale), 0, 2)).toThrow('no trades [0, 2) in columns of 1');
  });

  it.each(kindNames)(
    'of %s bars ignores what lies behind the last trade in columns that are used again',
    (kind) => {
      const longer = toColumns(
        [...[1, 2, 3].map((ms) => trade(ms * 700)), ...Array.from({ length: 40 }, () => trade(0))],
        scale,
      );
      for (let i = 3; i < 43; i += 1) longer.price[i] = 1_000_000;
      longer.length = 3;
      const [spec] = fc.sample(randomSpec(kind), { numRuns: 1, seed: 3 });
      const builder = createBuilder(spec ?? specOf(kind, {}, 1));
      builder.add(longer);
      const expected = build(
        createBuilder(builder.spec),
        [1, 2, 3].map((ms) => trade(ms * 700)),
        scale,
      );
      expect(builder.state()).toEqual(expected.state());
      expect(closedBars(builder)).toEqual(closedBars(expected));
    },
  );

  it('refuses trades that go back in time', () => {
    const builder = build(createBuilder(specOf('tick', {}, 1)), [trade(8)], scale);
    expect(() => build(builder, [trade(7)], scale)).toThrow('a trade at 7 cannot follow one at 8');
  });

  it('refuses more decimals than it can keep apart', () => {
    const builder = createBuilder(specOf('tick', {}, 1));
    const columns = toColumns([trade(1)], scale);
    columns.priceDecimals = 9;
    expect(() => builder.add(columns)).toThrow('0 to 8 decimals, not 9');
  });

  it('says so when a price and finer ones before it cannot both be exact', () => {
    const builder = build(createBuilder(specOf('tick', {}, 1)), [{ ...trade(1), price: 1n }], {
      ...scale,
      priceDecimals: 8,
    });
    const columns = toColumns([trade(2)], scale);
    columns.price[0] = 2 ** 50;
    expect(() => builder.add(columns)).toThrow('the trade at 2 is too large to be exact');
  });
});

test('every file of kinds/ is listed', () => {
  const files = readdirSync(new URL('kinds', import.meta.url)).filter((file) => file !== 'index.ts');
  expect(files.toSorted()).toEqual(kindNames.map((name) => `${name.replace('_', '-')}-bar.ts`).toSorted());
});

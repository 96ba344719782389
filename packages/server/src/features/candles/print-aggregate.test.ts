import { type Candle, MINUTE_MS } from '@crosstape/core';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { aggregateRows, eachAggregate } from './aggregate-candles.ts';
import type { Member, Moment } from './members.ts';
import { printAggregate } from './print-aggregate.ts';
import { runs } from '../../../../../test/runs.ts';

/** Venues list symbols in other alphabets, too. */
const ids = ['hyperliquid:BTC', 'binance:币安USDT', 'okx:"BTC"', 'kraken-spot:BTC/USD'];
const members = ids.map((id) => ({ market: { id } }) as Member);
const reference = members[0] as Member;

const whole = fc.oneof(fc.constantFrom(0, 1, 10 ** 9), fc.nat());
const large = fc.oneof(whole, fc.bigInt({ min: 2n ** 53n, max: 10n ** 30n }));
const candle: fc.Arbitrary<Candle> = fc
  .record({
    ts: fc.constant(0),
    priceDecimals: fc.nat({ max: 4 }),
    sizeDecimals: fc.nat({ max: 9 }),
    open: whole,
    high: whole,
    low: whole,
    close: whole,
    volume: large,
    buyVolume: large,
    notional: fc.option(large, { nil: undefined }),
    trades: fc.option(whole, { nil: undefined }),
    buyTrades: fc.option(whole, { nil: undefined }),
    liqLong: whole,
    liqShort: whole,
    origin: fc.constantFrom('tape' as const, 'venue' as const),
    hasSides: fc.boolean(),
  })
  .map(({ hasSides, ...one }) => ({
    ...one,
    volume: BigInt(one.volume) + BigInt(one.buyVolume),
    buyVolume: hasSides ? one.buyVolume : undefined,
  }))
  .map(({ volume, ...one }) => ({
    ...one,
    volume: volume > Number.MAX_SAFE_INTEGER ? volume : Number(volume),
  }));

function pageOf(rows: readonly (readonly (Candle | undefined)[])[], before: Candle) {
  const traded = rows.filter((row) => row.some(Boolean));
  const moments = traded.map((row, i): Moment => {
    const ts = i * MINUTE_MS;
    return { ts, complete: i % 3 !== 0, candles: row.map((one) => one && { ...one, ts }) };
  });
  return { members, reference, moments, before, hasOlder: false, tapeFrom: 0, allFrom: 0, settledTo: 0 };
}

it('prints exactly what JSON.stringify prints of the rows', async () => {
  const row = fc.tuple(...ids.map(() => fc.option(candle, { nil: undefined })));
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 5 }), candle, async (rows, before) => {
      const page = pageOf(rows, before);
      const { text } = await printAggregate(page);
      expect(new TextDecoder().decode(text)).toBe(JSON.stringify(await aggregateRows(page)));
    }),
    { seed: 7, numRuns: runs(300) },
  );
});

it('names the same text by the same digest, and another by another', async () => {
  const [before] = fc.sample(candle, { seed: 1, numRuns: 1 }) as [Candle];
  const rows = Array.from({ length: 1_000 }, () => [before, before, undefined, before]);
  const digestOf = async (given: typeof rows): Promise<string> =>
    Buffer.from((await printAggregate(pageOf(given, before))).digest).toString('hex');
  const digest = await digestOf(rows);
  expect(await digestOf(rows)).toBe(digest);
  expect(await digestOf(rows.with(3, [before, undefined, undefined, before]))).not.toBe(digest);
});

it('lets other work have its turn', async () => {
  const [before] = fc.sample(candle, { seed: 1, numRuns: 1 }) as [Candle];
  const page = pageOf(
    Array.from({ length: 10_000 }, () => [before, before, before, before]),
    before,
  );
  let [inTurn, most] = [0, 0];
  let isOver = false;
  const turn = (): void => {
    inTurn = 0;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await eachAggregate(page, () => {
    inTurn += 1;
    most = Math.max(most, inTurn);
  });
  isOver = true;
  expect(most).toBeLessThanOrEqual(1_000);
});

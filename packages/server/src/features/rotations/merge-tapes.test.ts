import { expect, it } from 'vitest';
import { type MarketTrades, MergedTape } from './merge-tapes.ts';

interface Row {
  readonly ts: number;
  readonly price: number;
  readonly size: number;
}

function columnsOf(rows: readonly Row[], priceDecimals: number, sizeDecimals: number): MarketTrades {
  return {
    length: rows.length,
    priceDecimals,
    sizeDecimals,
    ts: Float64Array.from(rows, ({ ts }) => ts),
    price: Float64Array.from(rows, ({ price }) => Math.round(price * 10 ** priceDecimals)),
    size: Float64Array.from(rows, ({ size }) => Math.round(size * 10 ** sizeDecimals)),
    isBuy: Uint8Array.from(rows, () => 1),
  };
}

async function* each(...parts: readonly MarketTrades[]): AsyncGenerator<MarketTrades, void, undefined> {
  yield* parts;
}

async function merged(tape: MergedTape): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for await (const { length, priceDecimals, sizeDecimals, ts, price, size } of tape.batches())
    for (let i = 0; i < length; i += 1)
      rows.push({
        ts: ts[i]!,
        price: price[i]! / 10 ** priceDecimals,
        size: size[i]! / 10 ** sizeDecimals,
      });
  return rows;
}

const window = { fromTs: 0, toTs: 1_000_000 };

it('orders by time, counts all at the price of the reference market, and knows where each stands', async () => {
  const reference = [
    { ts: 10, price: 100.5, size: 1 },
    { ts: 20, price: 101, size: 2 },
  ];
  const other = [
    { ts: 5, price: 99, size: 4 },
    { ts: 10, price: 99, size: 0.25 },
    { ts: 15, price: 99, size: 0.5 },
  ];
  const later = [
    { ts: 20, price: 99.25, size: 0.000_000_001 },
    { ts: 20, price: 99.25, size: 8 },
  ];
  const tape = new MergedTape(
    [
      { columns: each(columnsOf(other, 0, 2), columnsOf(later, 2, 9)), ...window },
      { columns: each(columnsOf(reference, 1, 0)), ...window },
      { columns: each(), ...window },
    ],
    1,
  );
  expect(await merged(tape)).toEqual([
    { ts: 10, price: 100.5, size: 1 },
    { ts: 10, price: 100.5, size: 0.25 },
    { ts: 15, price: 100.5, size: 0.5 },
    { ts: 20, price: 101, size: 2 },
    { ts: 20, price: 101, size: 0 },
    { ts: 20, price: 101, size: 8 },
  ]);
  expect(tape.price).toBe(101);
  expect(tape.markets.map(({ count, cursor }) => [count, cursor])).toEqual([
    [4, { ts: 20, count: 2 }],
    [2, { ts: 20, count: 1 }],
    [0, null],
  ]);
});

it('merges any number of columns as one list sorted by time would be', async () => {
  const [markets, size, part] = [5, 6_000, 1_024];
  const all = Array.from({ length: markets }, (_, market) =>
    // Steps of 0 to 12 ms, different for each market.
    Array.from({ length: size }, (_row, i) => ({
      ts: 1_000 + i * (market + 2) + ((i * 7) % (market + 1)),
      i,
    })).map(({ ts, i }) => ({ ts, price: 100 + market, size: market * 100_000 + i })),
  );
  const tape = new MergedTape(
    all.map((rows) => {
      const parts: MarketTrades[] = [];
      for (let at = 0; at < rows.length; at += part) parts.push(columnsOf(rows.slice(at, at + part), 0, 0));
      return { columns: each(...parts), fromTs: 0, toTs: 15_000 };
    }),
    0,
  );
  const expected = all
    .flat()
    .filter(({ ts }) => ts < 15_000)
    .toSorted((a, b) => a.ts - b.ts || a.size - b.size);
  const found = await merged(tape);
  expect(found.length).toBe(expected.length);
  expect(
    found.every(
      ({ ts, price, size: own }, i) => ts === expected[i]!.ts && price === 100 && own === expected[i]!.size,
    ),
  ).toBe(true);
});

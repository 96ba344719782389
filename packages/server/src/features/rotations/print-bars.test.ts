import { gzipSync } from 'node:zlib';
import { createBuilder, createTickColumns, encodePack, type ResultPack } from '@crosstape/core';
import { expect, it } from 'vitest';
import { printBars } from './print-bars.ts';

/** Bars of one trade each. */
function packOf(length: number): ResultPack {
  const spec = { kind: 'tick', params: { trades: 1 }, tick: 1 } as const;
  const builder = createBuilder(spec);
  const columns = createTickColumns(length);
  columns.length = length;
  columns.ts.forEach((_, i) => (columns.ts[i] = i + 1));
  columns.price.fill(100);
  columns.size.fill(1);
  builder.add(columns);
  const counts = { trades: length, bars: length, firstTs: 1, lastTs: length };
  const stats = { ...counts, gaps: [], degraded: false, tick: 1, buildMs: 1 };
  return { coin: 'BTC', spec, bars: builder.bars, open: null, state: builder.state(), stats };
}

it('prints a result as JSON', () => {
  const printed = printBars(gzipSync(encodePack(packOf(3))));
  const json = 'json' in printed ? JSON.parse(new TextDecoder().decode(printed.json)) : undefined;
  expect(json).toMatchObject({ coin: 'BTC', bars: [{ index: 0 }, { index: 1 }, { index: 2 }] });
});

it('refuses one of too many bars by their number alone, without reading them', () => {
  const pack = encodePack(packOf(30_000));
  // With something behind its end, it cannot be read.
  const damaged = new Uint8Array([...pack, 1]);
  expect(printBars(gzipSync(damaged))).toEqual({ tooLarge: true });
});

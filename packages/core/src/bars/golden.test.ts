import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createTickColumns } from '../ticks/tick-columns.ts';
import { createBuilder, resumeBuilder } from './bar-builder.ts';
import { barAt } from './bar-columns.ts';
import { specOf } from './random-builds.fixture.ts';
import { decodePack, encodePack } from './result-pack.ts';

/** Stored formats must stay readable forever: these files never change. docs/formats.md explains them. */
function golden(name: string): Uint8Array {
  const text = readFileSync(new URL(`golden/${name}.hex`, import.meta.url), 'utf8');
  return Uint8Array.from(Buffer.from(text.trim(), 'hex'));
}

function exampleBuilder() {
  const columns = createTickColumns(3);
  Object.assign(columns, { length: 3, priceDecimals: 1, sizeDecimals: 1 });
  columns.ts.set([1_700_000_000_000, 1_700_000_000_005, 1_700_000_000_005]);
  columns.price.set([1005, 1010, 1010]);
  columns.size.set([2, 1, 10]);
  columns.isBuy.set([1, 0, 1]);
  const builder = createBuilder(specOf('tick', { trades: 2 }, 0.5));
  builder.add(columns);
  return builder;
}

it('a state of version 1 is read, and written the same', () => {
  const builder = exampleBuilder();
  expect(builder.state()).toEqual(golden('state-v1'));
  const resumed = resumeBuilder(golden('state-v1'));
  expect(resumed.open).toEqual(builder.open);
  expect(resumed.cursor).toEqual({ ts: 1_700_000_000_005, count: 2 });
});

it('a result pack of version 1 is read, and written the same', () => {
  const pack = decodePack(golden('pack-v1'));
  expect(encodePack(pack)).toEqual(golden('pack-v1'));
  expect(pack).toMatchObject({ coin: 'BTC', spec: { kind: 'tick', params: { trades: 2 }, tick: 0.5 } });
  expect(pack.state).toEqual(golden('state-v1'));
  expect(pack.open).toEqual(exampleBuilder().open);
  expect(pack.stats).toMatchObject({ trades: 3, bars: 1, gaps: [], degraded: false });
  expect(barAt(pack.bars, 0)).toEqual({
    index: 0,
    openTs: 1_700_000_000_000,
    closeTs: 1_700_000_000_005,
    open: 100.5,
    high: 101,
    low: 100.5,
    close: 101,
    volume: 0.3,
    buyVolume: 0.2,
    notionalUsd: 30.2,
    trades: 2,
    delta: 0.1,
    minDelta: 0,
    maxDelta: 0.2,
    direction: 1,
    complete: true,
  });
});

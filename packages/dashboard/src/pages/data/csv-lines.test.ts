import { createBuilder, createTickColumns } from '@crosstape/core';
import { describe, expect, it } from 'vitest';
import { csvOfBars, csvOfTicks } from './csv-lines.ts';

const ticks = createTickColumns(3);
ticks.length = 3;
ticks.priceDecimals = 1;
ticks.sizeDecimals = 4;
[0, 1, 2].forEach((i) => {
  ticks.ts[i] = 1_000 + i;
  ticks.price[i] = 1_059_315 + i;
  ticks.size[i] = 12;
  ticks.isBuy[i] = i % 2;
  ticks.sameOrder[i] = i === 2 ? 1 : 0;
});

describe('files made in the browser', () => {
  it('have a line for each trade, with the very digits of the venue', () => {
    expect(csvOfTicks(ticks)).toBe(
      '1000,105931.5,0.0012,sell,false\n1001,105931.6,0.0012,buy,false\n1002,105931.7,0.0012,sell,true\n',
    );
  });

  it('have a line for each closed bar below the names of its fields', () => {
    const builder = createBuilder({ kind: 'tick', params: { trades: 1 }, tick: 1 });
    builder.add(ticks);
    const [head, ...lines] = [...csvOfBars(builder)].join('').trimEnd().split('\n');
    expect(head).toMatch(/^index,openTs,closeTs,open,high,low,close,volume/);
    expect(lines.map((line) => line.split(',').slice(0, 4).join())).toEqual([
      '0,1000,1000,105931.5',
      '1,1001,1001,105931.6',
      '2,1002,1002,105931.7',
    ]);
    expect([...csvOfBars(createBuilder({ kind: 'tick', params: { trades: 1 }, tick: 1 }))]).toEqual([]);
  });
});

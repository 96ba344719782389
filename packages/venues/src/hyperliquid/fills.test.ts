import { expect, it } from 'vitest';
import { fillBlockMs, parseFillBlock } from './fills.ts';

const TS = 1_781_528_065_899;
const BLOCK_TIME = '2026-06-15T12:54:25.899000000';

function fill(part: Record<string, unknown>): unknown {
  return {
    coin: 'BTC',
    px: '66653.0',
    sz: '0.25',
    side: 'A',
    time: TS,
    crossed: true,
    oid: 1,
    tid: 7,
    ...part,
  };
}

function block(events: readonly unknown[]): string {
  return JSON.stringify({ local_time: BLOCK_TIME, block_time: BLOCK_TIME, block_number: 5, events });
}

it('reads each trade once, as its taker made it, and each liquidated order once', () => {
  const liquidation = { liquidatedUser: '0xAb', markPx: '66607.0', method: 'market' };
  const text = block([
    ['0xAb', fill({ liquidation })],
    ['0xcd', fill({ side: 'B', crossed: false, oid: 2, liquidation })],
    ['0xAb', fill({ px: '66651.0', sz: '0.75', tid: 8, liquidation })],
    ['0xcd', fill({ px: '66651.0', sz: '0.75', tid: 8, side: 'B', crossed: false, oid: 3, liquidation })],
    // A spot pair, and a perpetual of another dex.
    ['0xef', fill({ coin: '@107', tid: 9 })],
    ['0xef', fill({ coin: 'xyz:TSLA', tid: 10 })],
  ]);
  const made = { coin: 'BTC', side: 'sell', venueTs: TS };
  expect(parseFillBlock(text)).toEqual({
    trades: [
      { ...made, price: 66_653, size: 0.25, tid: 7, taker: '0xab' },
      { ...made, price: 66_651, size: 0.75, tid: 8, taker: '0xab' },
    ],
    liquidations: [{ ...made, symbol: 'BTC', price: 66_651.5, size: 1, id: '1' }],
    refused: [],
  });
  expect(fillBlockMs(text)).toBe(TS);
});

it('counts a liquidated position that the liquidator took over, though its side did not cross', () => {
  const mark = { liquidation: { liquidatedUser: '0xab', markPx: '1.0', method: 'backstop' } };
  const { liquidations } = parseFillBlock(
    block([
      ['0xab', fill({ ...mark, crossed: false, side: 'B' })],
      ['0xcd', fill(mark)],
    ]),
  );
  expect(liquidations).toMatchObject([{ side: 'buy', size: 0.25 }]);
});

it('names fills that cannot be read, and refuses what is no block', () => {
  const { trades, refused } = parseFillBlock(
    block([
      ['0xab', fill({})],
      ['0xab', fill({ sz: '-1' })],
    ]),
  );
  expect(trades).toHaveLength(1);
  expect(refused).toEqual([expect.stringContaining('BTC fill.sz')]);
  for (const text of ['{"block_ti', '{}', '[]', 'null']) expect(() => parseFillBlock(text)).toThrow();
  expect(fillBlockMs('{"block_ti')).toBeUndefined();
});

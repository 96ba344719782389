import { expect, it } from 'vitest';
import { candleRow } from './candle.ts';
import { decodeBlock, encodeBlock } from './candle-block.ts';
import { type VenueCandle, venueCandles } from './venue-candle.ts';

const one: VenueCandle = {
  ts: 60_000,
  open: 0.0000101,
  high: 0.00001025,
  low: 0.00001,
  close: 0.0000102,
  volume: '148976114278150000000.50',
  buyVolume: '0.50',
  notional: '2434.190553349',
  trades: 3,
};

it('counts contracts of small coins in coins, exactly', () => {
  const rows = venueCandles([one, { ...one, ts: 120_000, volume: '10' }], { contractSize: 10, scale: 1000 });
  expect(rows.map((row) => candleRow(row, null))).toMatchObject([
    { open: 0.0101, high: 0.01025, low: 0.01, close: 0.0102 },
    { volume: 0.1, buyVolume: 0.005, trades: 3, complete: null, origin: 'venue' },
  ]);
  expect(String(rows[0]?.volume)).toBe('1489761142781500000005');
  expect(decodeBlock(0, 60_000, encodeBlock(0, 60_000, { toTs: 180_000, candles: rows })).candles).toEqual(
    rows,
  );
});

it('rounds a notional to the decimals of prices and volumes', () => {
  const [row] = venueCandles([{ ...one, open: 1, high: 2.5, low: 1, close: 1, volume: '3.25' }]);
  expect(row && candleRow(row, null).notionalUsd).toBe(2434.191);
});

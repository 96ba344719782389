import { Type } from 'typebox';
import { count, flag, resource, text } from '../../http/field.ts';

export const LakeDay = resource(
  'LakeDay',
  'The files of a UTC day of a market.',
  {
    date: text('UTC.'),
    market: text('Its id.'),
    coin: text("The primary venue's ticker."),
    trades: count('Trades of the day; 0 while the file of trades is not made.'),
    bytes: count('Of all its files.'),
    complete: flag('Whether the record has no gap that day, or every gap was refilled.'),
    archived: flag('Whether it is kept for good in the archive.'),
    files: Type.Array(
      Type.Object({
        table: text('`trades`, `candles_1m`, `gaps` or `repaired_trades`.'),
        path: text('Of the file on this service.'),
        rows: count('Rows.'),
        bytes: count('Size.'),
      }),
      { description: 'Parquet files.' },
    ),
  },
  {
    date: '2026-11-09',
    market: 'hyperliquid:BTC',
    coin: 'BTC',
    trades: 1_204_112,
    bytes: 14_201_730,
    complete: true,
    archived: true,
    files: [
      {
        table: 'trades',
        path: '/lake/trades/venue=hyperliquid/symbol=BTC/date=2026-11-09/part-0.parquet',
        rows: 1_204_112,
        bytes: 14_160_022,
      },
    ],
  },
);

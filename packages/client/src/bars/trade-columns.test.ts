import { expect, it } from 'vitest';
import type { Trade } from '../socket/frame-types.ts';
import { columnsOf } from './trade-columns.ts';

it('takes more trades than a call has room for arguments', () => {
  const trade: Trade = { ts: 1, price: 100.5, size: 0.25, side: 'buy' };
  const columns = columnsOf(Array.from({ length: 150_000 }, () => trade));
  expect(columns).toMatchObject({ length: 150_000, priceDecimals: 1, sizeDecimals: 2 });
});

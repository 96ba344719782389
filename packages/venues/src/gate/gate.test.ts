import { expect, it } from 'vitest';
import type { Page } from '../venue.ts';
import { contracts } from './contracts.ts';
import { liquidations } from './liquidations.ts';

it('asks for sizes with decimals, over REST and in the handshake', () => {
  const headers = { 'X-Gate-Size-Decimal': '1' };
  expect(contracts.request.headers).toEqual(headers);
  expect(liquidations.headers).toEqual(headers);
});

it('asks for the next contracts after a full list, and for none after another', () => {
  const row = { name: 'OLD_USDT', type: 'direct', status: 'delisted' };
  const listOf = (length: number, path?: string): Page =>
    contracts.parse(
      Array.from({ length }, () => row),
      0,
      {},
      path,
    );
  const second = listOf(1000, contracts.request.path).more;
  expect(second).toEqual({
    ...contracts.request,
    path: '/api/v4/futures/usdt/contracts?limit=1000&offset=1000',
  });
  expect(listOf(1000, second?.path).more?.path).toMatch(/&offset=2000$/);
  expect(listOf(999, second?.path).more).toBeUndefined();
  expect(() => listOf(1000, '/elsewhere')).toThrow('a request without an offset');
});

it('refuses a liquidation of a contract whose size is not known', () => {
  const parse = liquidations.open(() => ({ instruments: [{ symbol: 'BTC_USDT', coin: 'BTC' }] }));
  const result = [{ price: '77215.1', size: '-1', time: 1787234033123, contract: 'BTC_USDT' }];
  const frame = JSON.stringify({ channel: 'futures.public_liquidates', event: 'update', result });
  expect(parse(frame)).toEqual({ kind: 'refused', why: '1 of 1 rows: BTC_USDT has no contract size' });
});

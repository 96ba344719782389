import { expect, it } from 'vitest';
import { contracts } from './contracts.ts';
import { liquidations } from './liquidations.ts';

it('asks for sizes with decimals, over REST and in the handshake', () => {
  const headers = { 'X-Gate-Size-Decimal': '1' };
  expect(contracts.request.headers).toEqual(headers);
  expect(liquidations.headers).toEqual(headers);
});

it('tells when the list is as long as it can be, since the rest of it is missing', () => {
  const row = { name: 'OLD_USDT', type: 'direct', status: 'delisted' };
  const listOf = (length: number): unknown =>
    contracts.parse(
      Array.from({ length }, () => row),
      0,
      {},
    );
  expect(listOf(999)).toMatchObject({ refused: [] });
  expect(listOf(1000)).toMatchObject({ refused: ['1000 rows: there may be more'] });
});

it('refuses a liquidation of a contract whose size is not known', () => {
  const parse = liquidations.open(() => ({ instruments: [{ symbol: 'BTC_USDT', coin: 'BTC' }] }));
  const result = [{ price: '77215.1', size: '-1', time: 1787234033123, contract: 'BTC_USDT' }];
  const frame = JSON.stringify({ channel: 'futures.public_liquidates', event: 'update', result });
  expect(parse(frame)).toEqual({ kind: 'refused', why: 'BTC_USDT has no contract size' });
});

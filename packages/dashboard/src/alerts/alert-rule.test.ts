import { expect, it } from 'vitest';
import { alertLevels, type AlertRule } from './alert-rule.ts';

it('finds the price alerts of a market that are on, by its coin or its id', () => {
  const rule = (id: string, subject: string, more: Partial<AlertRule> = {}): AlertRule => ({
    id,
    kind: 'price',
    subject,
    side: 'above',
    value: 1,
    minutes: 0,
    isOn: true,
    ...more,
  });
  const rules = [
    rule('a', 'BTC'),
    rule('b', 'ETH'),
    rule('c', 'hyperliquid:BTC'),
    rule('d', 'BTC', { isOn: false }),
    rule('e', 'BTC', { kind: 'funding' }),
    rule('f', 'binance:BTCUSDT'),
  ];
  const found = (...subjects: string[]) => alertLevels(rules, subjects).map(({ id }) => id);
  expect(found('BTC', 'hyperliquid:BTC')).toEqual(['a', 'c']);
  expect(found('binance:BTCUSDT')).toEqual(['f']);
});

import { expect, it } from 'vitest';
import { faultOf, ruleText } from '../../alerts/alert-rule.ts';
import {
  type AlertPlace,
  formHref,
  levelAlert,
  menuText,
  type NewRule,
  overlayAlerts,
} from './chart-alerts.ts';
import type { Indicator } from './indicator.ts';
import { marketOf } from './market-choice.ts';

const named = (name: string): Indicator => ({ name }) as Indicator;

const place = (more: Partial<AlertPlace> = {}): AlertPlace => ({
  market: marketOf('BTC', null),
  interval: '5m',
  firstTs: 60_000,
  newest: () => [50],
  ...more,
});

const textOf = (rule: NewRule | undefined): string => {
  if (!rule) return 'none';
  expect(faultOf(rule)).toBeUndefined();
  return ruleText({ ...rule, id: '', isOn: true });
};

it('makes the level of a pane into an alert of its indicator, on the side where it is not yet', () => {
  const rsi = levelAlert({ indicator: named('rsi_7'), value: 70.1234 }, place());
  expect(textOf(rsi)).toBe('BTC 5m RSI 7 above 70.12');
  expect(menuText(rsi!)).toBe('Alert when RSI 7 is above 70.12');
  expect(formHref(rsi!)).toBe('/alerts?kind=indicator&coin=BTC&side=above&value=70.12&ind=rsi_7&interval=5m');
  const delta = levelAlert({ indicator: named('delta'), value: 1_382 }, place());
  expect(textOf(delta)).toBe('BTC 5m Delta above 1,382');
  const other = place({ market: marketOf('BTC', 'binance:BTCUSDT') });
  const cvd = levelAlert({ indicator: named('cvd'), value: -12_345 }, other);
  expect(textOf(cvd)).toBe('binance:BTCUSDT 5m CVD since 01-01 00:01 UTC below −12.35K');
});

it('makes the level of funding into a yearly rate on the venue of the chart', () => {
  const level = { indicator: named('funding'), value: 0.01 };
  expect(textOf(levelAlert(level, place({ newest: () => [0.001] })))).toBe('BTC funding above +87.6% a year');
  const okx = place({ market: marketOf('BTC', 'okx:BTC-USDT-SWAP') });
  expect(textOf(levelAlert(level, okx))).toBe('BTC funding on OKX below +87.6% a year');
  expect(levelAlert(level, place({ market: marketOf('BTC', 'perp:BTC') }))).toBeUndefined();
});

it('has none for bars without an interval of candles, and for what alerts do not compute', () => {
  expect(levelAlert({ indicator: named('rsi'), value: 70 }, place({ interval: undefined }))).toBeUndefined();
  expect(levelAlert({ indicator: named('rsi'), value: 70 }, place({ interval: '1s' }))).toBeUndefined();
  expect(levelAlert({ indicator: named('oivenues'), value: 70 }, place())).toBeUndefined();
});

it('offers that two averages cross, and that the close crosses lines over the prices', () => {
  const now: Readonly<Record<string, readonly number[]>> = {
    ema: [101],
    ema_50_c2: [99],
    bollinger: [90, 110, 70],
  };
  const newest = ({ name }: Indicator) => now[name] ?? [];
  const rules = overlayAlerts(['ema', 'ema_50_c2', 'bollinger'].map(named), 100, place({ newest }));
  expect(rules.map(textOf)).toEqual([
    'BTC 5m EMA 20 below EMA 50',
    'BTC 5m close above EMA 20',
    'BTC 5m close below EMA 50',
  ]);
  expect(menuText(rules[0]!)).toBe('Alert when EMA 20 crosses below EMA 50');
  expect(overlayAlerts([named('bollinger')], 100, place({ newest })).map(textOf)).toEqual([
    'BTC 5m close below BB mid',
    'BTC 5m close above BB high',
    'BTC 5m close below BB low',
  ]);
});

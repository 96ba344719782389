import { expect, it } from 'vitest';
import { alertKinds, type AlertRule, faultOf, isRule, ruleText } from './alert-rule.ts';
import { alertmanagerText, isMetric } from './alertmanager.ts';

const rule: AlertRule = {
  id: 'a',
  kind: 'price',
  subject: 'BTC',
  side: 'below',
  value: 90_000,
  minutes: 0,
  isOn: true,
};

it('writes the rule of a price, and how Prometheus gets it', () => {
  const text = alertmanagerText(rule, 'http://service:8080');
  expect(text).toContain("metrics_path: /metrics/market\n    params:\n      coins: ['BTC']");
  expect(text).toContain("- targets: ['service:8080']");
  expect(text).toContain('expr: crosstape_mark_price_usd{venue="hyperliquid",coin="BTC"} <= 90000');
  expect(text).toContain("summary: 'BTC price below $90,000.0. Now: {{ $value }}'");
});

it('reads what is no metric with json_exporter', () => {
  const text = alertmanagerText({ ...rule, kind: 'whale', side: 'above', value: 50_000 }, 'http://service');
  expect(text).toContain("target: ['http://service/api/v1/perps/whales?coin=BTC&minUsd=50000&limit=1']");
  expect(text).toContain('expr: changes(crosstape_whale_btc_value[2m]) > 0');
});

it('uses the metrics of the service for a feed', () => {
  const text = alertmanagerText({ ...rule, kind: 'feed', subject: 'OKX', value: 120 }, 'http://service');
  expect(text).toContain('crosstape_source_status{source=~"okx:.*",status!="ok",status!="idle"}');
  expect(text).toContain('for: 120s');
  expect(text).not.toContain('json_exporter');
});

it('names the venue of funding, and takes the extreme of all', () => {
  const funding = { ...rule, kind: 'funding', value: 30 } as const;
  const okx = alertmanagerText({ ...funding, venue: 'okx' }, 'http://service');
  expect(okx).toContain('expr: crosstape_funding_rate_8h{venue="okx",coin="BTC"} * 109500 <= 30');
  const any = alertmanagerText({ ...funding, venue: 'any', side: 'above' }, 'http://service');
  expect(any).toContain('expr: max(crosstape_funding_rate_8h{coin="BTC"}) * 109500 >= 30');
});

it.each(alertKinds.filter((kind) => isMetric({ kind })))('has a rule for %s', (kind) => {
  const one = { ...rule, kind, minutes: 15 };
  expect(alertmanagerText(one, 'http://service')).toMatch(/expr: .*crosstape_/);
  expect(ruleText(one)).toContain('BTC');
});

it.each([
  [{ subject: '' }, 'coin'],
  [{ value: NaN }, 'number'],
  [{ kind: 'whale' as const }, 'above'],
  [{ kind: 'oi' as const, minutes: 0 }, 'window'],
  [{ kind: 'indicator' as const }, 'indicator'],
  [{ kind: 'funding' as const, venue: 'nope' }, 'nope'],
  [{ kind: 'signal' as const, side: 'above' as const, value: 3 }, 'severity'],
])('says what is wrong with %j', (change, word) => {
  expect(faultOf({ ...rule, ...change })).toContain(word);
  expect(isRule({ ...rule, ...change })).toBe(false);
});

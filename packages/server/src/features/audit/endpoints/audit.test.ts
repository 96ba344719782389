import { DAY_MS } from '@crosstape/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { publishSampleMarket } from '../../../api/testing/sample-market.ts';
import { recordSampleTape } from '../../../api/testing/sample-tape.ts';
import { startTestApi, type TestApi } from '../../../api/testing/test-api.ts';
import { auditStateTopic } from '../../../topics.ts';
import { noVerdicts } from '../audit-table.ts';
import { statementOf } from '../badge.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ hasTape: true });
  publishSampleMarket(api);
  await recordSampleTape(api);
});
afterAll(() => api.close());

it.each([
  ['/audit?market=NOSUCH', 400, 'market'],
  ['/audit?market=hyperliquid:NOSUCH', 404, 'NOSUCH'],
  ['/audit?market=hyperliquid:BTC&from=5&to=5', 400, 'from'],
  ['/audit/day?venue=NOSUCH', 404, 'NOSUCH'],
  ['/audit/day?venue=hyperliquid&day=2026-02-31', 400, 'day'],
])('refuses %s', async (path, status, name) => {
  const answer = await api.get(path);
  expect([answer.status, answer.body.error]).toEqual([status, expect.stringContaining(name)]);
});

it('/audit/day lists the verdicts of each recorded market of a venue', async () => {
  const { body } = await api.get('/audit/day?venue=hyperliquid');
  const hours = [{ hour: 1_789_992_000_000, verdict: 'incomplete', diffPct: 0.114 }];
  expect(body.data).toContainEqual({ market: 'hyperliquid:BTC', hours });
  expect((await api.get('/audit/day?venue=binance-spot')).body.data).toEqual([]);
});

it('/audit/summary says when the next hour is due, and is not reused for longer than a moment', async () => {
  const nextAt = async (): Promise<unknown> =>
    ((await api.get('/audit/summary')).body.data as { nextAt?: number }).nextAt;
  expect(await nextAt()).toBeUndefined();
  api.bus.publish(auditStateTopic, { checkedAtMs: 1, nextAtMs: 5, counts: {}, differing: [] });
  expect(await nextAt()).toBe(5);
});

it('shows a badge of a market, and refuses one without', async () => {
  const shown = await api.fetch('/badge/completeness.svg?market=hl:btc');
  expect(shown.status).toBe(200);
  expect(shown.headers['content-type']).toBe('image/svg+xml');
  expect(shown.text).toContain('hyperliquid:BTC');
  expect((await api.fetch('/badge/completeness.svg')).status).toBe(400);
  expect((await api.fetch('/badge/completeness.svg?market=hl:<script>')).status).toBe(404);
});

it.each([
  ['100 %, 2 h audited', DAY_MS, ['equal', 'within']],
  ['50 %', DAY_MS / 2, ['incomplete']],
  ['99.99 %, 1 h differ', DAY_MS - 1, ['differs', 'equal']],
  ['not recorded', 0, []],
] as const)('the badge says %s', (text, wholeMs, verdicts) => {
  const stretches = [
    { from: 0, to: wholeMs, state: 'complete' as const },
    { from: wholeMs, to: DAY_MS, state: 'missing' as const },
  ];
  expect(
    statementOf(
      stretches,
      verdicts.map((verdict) => ({ verdict })),
    )[0],
  ).toBe(text);
});

it.each([
  ['', undefined],
  ['?day=2026-11-15', ['BTC']],
  ['?coin=btc', ['BTC']],
  ['?coin=eth', []],
])('/audit/liquidations%s has the score of each day', async (search, coins) => {
  const { body } = await api.get(`/audit/liquidations${search}`);
  const [row, ...others] = body.data as { coins?: { coin: string }[] }[];
  expect(others).toEqual([]);
  expect(row).toMatchObject({ day: '2026-11-15', total: { precision: 0.7939, recall: 0.5532 } });
  expect(row?.coins?.map(({ coin }) => coin)).toEqual(coins);
});

it('/audit/liquidations says that a day has not been compared', async () => {
  const { status, body } = await api.get('/audit/liquidations?day=2026-11-01');
  expect([status, body.error]).toEqual([404, expect.stringContaining('2026-11-01 has not been compared')]);
});

it('is degraded, and counts, while a recorded hour differs', async () => {
  const counts = { hyperliquid: { ...noVerdicts(), equal: 2, differs: 1 } };
  const differing = [{ market: 'hyperliquid:BTC', hour: 1, diffPct: 2 }];
  api.bus.publish(auditStateTopic, { checkedAtMs: 1, counts, differing });
  const { text } = await api.fetch('/readyz');
  const { status, checks } = JSON.parse(text) as { status: string; checks: { name: string; ok: boolean }[] };
  expect(checks.find(({ name }) => name === 'audit')).toMatchObject({ ok: false });
  expect(['degraded', 'not ready', 'starting']).toContain(status);
  const metrics = await api.fetch('/metrics');
  expect(metrics.text).toContain('crosstape_audit_hours_total{venue="hyperliquid",verdict="differs"} 1');
  expect(metrics.text).toContain('crosstape_audit_differences 1');
});

import { expect, it } from 'vitest';
import type { Bar, Update } from '../live/topic.ts';
import type { AlertRule } from './alert-rule.ts';
import { alertIndicator } from './indicator-lines.ts';
import { IndicatorWatch } from './indicator-watch.ts';
import type { IndicatorCondition } from './indicator-condition.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

function bar(minute: number, close: number, delta = 0): Bar {
  const openTs = minute * MINUTE_MS;
  return { openTs, closeTs: openTs + 59_999, close, delta, volume: 1, notionalUsd: close } as unknown as Bar;
}

const condition = (more: Partial<IndicatorCondition>): IndicatorCondition => ({
  text: 'ema_2',
  line: 0,
  title: 'EMA 2',
  interval: '1m',
  ...more,
});

/** A watch that has loaded its code. */
async function watchOf(more: Partial<IndicatorCondition>, subject = 'BTC') {
  const indicator = condition(more);
  const rule: AlertRule = {
    id: 'a',
    kind: 'indicator',
    subject,
    side: 'above',
    value: 0,
    minutes: 0,
    isOn: true,
    indicator,
  };
  const watch = new IndicatorWatch(rule, indicator, () => Promise.resolve({ alertIndicator }));
  await Promise.resolve();
  const send = (items: readonly Bar[], open: Bar | null, isWhole = false): void =>
    watch.take(0, { items, open, isWhole, atMs: 0, state: 'up' } as Update);
  return { watch, send };
}

it('measures an indicator with the bar in progress, or only of closed bars', async () => {
  const pane = { text: 'rsi_2', title: 'RSI 2' };
  const [live, closed] = [await watchOf(pane), await watchOf({ ...pane, isAtClose: true })];
  for (const { send } of [live, closed]) send([bar(0, 1), bar(1, 2), bar(2, 3)], bar(3, 1), true);
  // Gains of 1 and 1, then by Wilder 0.5 against a loss of 1.
  expect(live.watch.measure()?.value).toBeCloseTo(100 / 3, 9);
  expect(closed.watch.measure()).toEqual({
    value: 100,
    text: 'RSI 2 100, close 3.0000, 1m bar of 01-01 00:02 UTC',
  });
  closed.send([bar(3, 1)], bar(4, 9));
  expect(closed.watch.measure()?.value).toBeCloseTo(100 / 3, 9);
});

it('compares the close with a line over the prices, or two lines, in percent', async () => {
  const close = await watchOf({ isOverlay: true });
  close.send([bar(0, 90), bar(1, 110)], bar(2, 130), true);
  // The mean of 90 and 110, then two thirds of the way to 130.
  expect(close.watch.measure()?.value).toBeCloseTo((130 / 120 - 1) * 100, 9);
  expect(close.watch.measure()?.text).toBe(
    'close 130.00, +8.33% from EMA 2 at 120.00, 1m bar of 01-01 00:02 UTC',
  );
  const cross = await watchOf({ isOverlay: true, against: { text: 'ema_3', line: 0, title: 'EMA 3' } });
  cross.send([bar(0, 90), bar(1, 110)], bar(2, 130), true);
  expect(cross.watch.measure()?.value).toBeCloseTo((120 / 110 - 1) * 100, 9);
});

it('sums CVD since midnight or since a time, and says when its bars begin too late', async () => {
  const since = await watchOf({ text: 'cvd', title: 'CVD', sinceTs: MINUTE_MS });
  since.send([bar(0, 1, 7), bar(1, 1, 2)], bar(2, 1, 3), true);
  expect(since.watch.measure()?.value).toBe(5);
  const daily = await watchOf({ text: 'cvd', title: 'CVD' });
  daily.send([bar(5, 1, 7)], bar(6, 1, 2), true);
  expect(daily.watch.measure()).toBeUndefined();
  expect(daily.watch.problem).toMatch(/^1 bars of 1m do not reach back/);
  daily.send([bar(6, 1, 2)], bar(DAY_MS / MINUTE_MS, 1, 4));
  expect(daily.watch.measure()?.value).toBe(4);
  expect(daily.watch.problem).toBeUndefined();
});

it('follows the bars of a chart of the market, and more where an indicator needs them', async () => {
  const specOf = async (more: Partial<IndicatorCondition>, subject?: string) =>
    (await watchOf(more, subject)).watch.topics[0]?.spec;
  expect(await specOf({})).toEqual({ market: 'hyperliquid:BTC', interval: '1m', limit: 1_000 });
  expect(await specOf({ interval: '5m' }, 'perp:BTC')).toEqual({
    market: 'perp:BTC',
    interval: '5m',
    limit: 1_000,
  });
  expect(await specOf({ text: 'cvd' })).toMatchObject({ limit: 2_000 });
  expect(await specOf({ text: 'vwap_month', interval: '1h' })).toMatchObject({ limit: 1_000 });
  expect(await specOf({ text: 'vwap_week' })).toMatchObject({ limit: 10_000 });
});

it('keeps what arrives before the code of indicators, and names an unknown indicator', async () => {
  const indicator = condition({ text: 'rsi_2' });
  const rule = {
    id: 'a',
    kind: 'indicator',
    subject: 'BTC',
    side: 'above',
    value: 0,
    minutes: 0,
    isOn: true,
  } as const;
  let loaded: (() => void) | undefined;
  const loading = new Promise<{ alertIndicator: typeof alertIndicator }>((resolve) => {
    loaded = () => resolve({ alertIndicator });
  });
  const watch = new IndicatorWatch(rule, indicator, () => loading);
  watch.take(0, { items: [bar(0, 1), bar(1, 2)], open: null, isWhole: true, atMs: 0, state: 'up' });
  watch.take(0, { items: [bar(2, 3)], open: null, atMs: 0, state: 'up' });
  expect(watch.measure()).toBeUndefined();
  loaded?.();
  await loading;
  await Promise.resolve();
  expect(watch.measure()?.value).toBe(100);
  const unknown = await watchOf({ text: 'nope' });
  unknown.send([bar(0, 1)], null, true);
  expect([unknown.watch.measure(), unknown.watch.problem]).toEqual([
    undefined,
    'This version does not have that indicator.',
  ]);
});

import type { Page } from 'playwright-core';
import { describe, expect, it, vi } from 'vitest';
import { type DashboardSession, openDashboard } from './browser.ts';
import { itLong } from './it-long.ts';
import { chromiumPath } from './market.ts';

const WAIT = { timeout: 150_000, interval: 200 };

interface DrawnBar {
  readonly time: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
}

describe.runIf(chromiumPath)('the examples of the datafeed', () => {
  let dashboard: DashboardSession;
  openDashboard((opened) => {
    dashboard = opened;
  });

  const drawn = (page: Page): Promise<readonly DrawnBar[]> =>
    page.evaluate('document.getElementById("chart").bars()');

  it('draw candles with lightweight-charts, and continue them', async () => {
    const { page, conduct } = await dashboard.visit('/examples/lightweight-charts.html');
    await page.getByText(/perpetual.*: \d+ bars/).waitFor();
    const bars = await drawn(page);
    expect(bars.length).toBeGreaterThan(100);
    const last = bars.at(-1);
    await vi.waitUntil(async () => (await drawn(page)).at(-1)?.close !== last?.close, WAIT);
    const [start = 0, end = 0] = [bars.at(-20)?.time, last?.time].map((time = 0) => time * 1_000);
    const { data } = await dashboard.json<{ data: (DrawnBar & { ts: number })[] }>(
      `/candles?market=hyperliquid:BTC&start=${start}&end=${end}`,
    );
    const expected = data.map(({ ts, open, high, low, close }) => ({
      time: ts / 1_000,
      open,
      high,
      low,
      close,
    }));
    expect(bars.slice(-20, -1)).toMatchObject(expected);
    expect(conduct).toEqual({ errors: [], foreign: [] });
  });

  itLong('draw bars that are not of the clock', async () => {
    const search = '?symbol=hyperliquid:btc.tick10&resolution=1S';
    const { page } = await dashboard.visit(`/examples/lightweight-charts.html${search}`);
    await page.getByText(/TICK10 bars: \d+ bars/).waitFor();
    const bars = await drawn(page);
    await vi.waitUntil(async () => (await drawn(page)).length > bars.length, WAIT);
  });

  itLong('say how to bring the charting library', async () => {
    const { page } = await dashboard.visit('/examples/tradingview.html');
    await page.getByText('The charting library was not found.').waitFor();
    expect(await page.getByText('UDFCompatibleDatafeed').isVisible()).toBe(true);
  });
});

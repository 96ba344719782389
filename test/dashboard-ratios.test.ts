import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { DashboardSession } from './browser.ts';
import { chromiumPath, HISTORY, type Market, startMarket } from './market.ts';

/** The history of ratios is requested once the first day is recorded. */
const WAIT = { timeout: 240_000, interval: 100 };
const CLEAN = { errors: [], foreign: [] };

describe.runIf(chromiumPath)('recorded long/short ratios', () => {
  let market: Market;
  let dashboard: DashboardSession;
  beforeAll(async () => {
    market = startMarket([...HISTORY, '--backfill', '1h:8,1m:0']);
    dashboard = await DashboardSession.at(await market.url);
    for (const series of ['bybit&view=global', 'okx&view=global', 'okx&view=top', 'binance&view=global'])
      await vi.waitUntil(async () => (await newest(series)).length === 2, WAIT);
    await vi.waitUntil(async () => (await newest('binance&view=top')).length === 2, WAIT);
  }, 600_000);
  afterAll(async () => {
    await dashboard.close();
    await market.end();
  });

  /** The newest two: a page reads a new one some minutes later. */
  async function newest(series: string): Promise<readonly string[]> {
    const path = `/perps/positioning/history?coin=BTC&venue=${series}&limit=2`;
    const { data } = await dashboard.json<{ data: { points: readonly { longShortRatio: number }[] } }>(path);
    return data.points.map(({ longShortRatio }) => longShortRatio.toFixed(2));
  }

  it('are a line for each venue and view on the page of perps', async () => {
    const { page, conduct } = await dashboard.visit('/perps');
    const chart = page.getByRole('slider', { name: /^Long\/short ratio of BTC/ });
    const top = /^Latest: Bybit [\d.]+, OKX [\d.]+, OKX top [\d.]+, Binance [\d.]+, Binance top ([\d.]+)$/;
    await vi.waitFor(async () => {
      const text = await chart.getAttribute('aria-valuetext');
      expect(await newest('binance&view=top')).toContain(top.exec(text ?? '')?.[1]);
    }, WAIT);
    expect(conduct).toEqual(CLEAN);
  });

  it('are an indicator of bars of any length', async () => {
    const { page, conduct } = await dashboard.visit('/m/BTC?ind=lsratio');
    const top = /L\/S Bybit [\d.]+ OKX [\d.]+ OKX top [\d.]+ Binance [\d.]+ Binance top ([\d.]+)/;
    for (const interval of ['1m', '4h']) {
      await page.getByRole('button', { name: interval, exact: true }).first().click();
      await page.mouse.move(0, 0);
      await vi.waitFor(async () => {
        const legend = (await page.locator('[data-bars]').innerText()).replaceAll(/\s+/g, ' ');
        expect(await newest('binance&view=top')).toContain(top.exec(legend)?.[1]);
        const titles = await page.getByRole('status', { name: 'Panes' }).innerText();
        expect(titles).toBe('Long/short ratio, BTC');
      }, WAIT);
    }
    expect(conduct).toEqual(CLEAN);
  });
});

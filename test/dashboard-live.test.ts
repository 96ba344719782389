import { Client, systemClock } from '@crosstape/client';
import { buildBars } from '@crosstape/client/bars';
import { barAt } from '@crosstape/core';
import { type Simulator, startSimulator } from '@crosstape/simulator';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { DashboardSession, savedText } from './browser.ts';
import { chromiumPath, type Market, startMarket } from './market.ts';
import { FlakyProxy } from './flaky-proxy.ts';

const WAIT = { timeout: 60_000, interval: 200 };
/** Until a page calls what has not come yet an error. */
const LOADING_MS = 10_000;

describe.runIf(chromiumPath)('a market page that stays open', () => {
  let simulator: Simulator;
  let market: Market;
  let dashboard: DashboardSession;
  beforeAll(async () => {
    // The market continues while the service does not.
    const sources = ['hyperliquid', 'okx', 'bybit', 'binance', 'deribit', 'coinbase', 'kraken-spot'];
    simulator = await startSimulator({ port: 0, seed: 7, rate: 5, clock: systemClock, sources });
    const record = 'okx:BTC-USDT-SWAP,bybit:BTCUSDT,binance:BTCUSDT';
    const flags = ['--sim-history-days', '0', '--record-markets', record];
    market = startMarket(['--sim-url', simulator.url, ...flags]);
    dashboard = await DashboardSession.at(await market.url);
  });
  afterEach(() => dashboard.leave());
  afterAll(async () => {
    await dashboard.close();
    await market.end();
    await simulator.close();
  });

  /** Bars on the chart, the one in progress included. */
  const barsOn = async (page: Page): Promise<number> =>
    Number(await page.locator('[data-bars]').getAttribute('data-bars', { timeout: 90_000 }));

  it('uses one socket for all tabs, and follows nothing while all are hidden', async () => {
    const visitor = await dashboard.visitor();
    const pages = [await visitor.newPage(), await visitor.newPage()];
    for (const page of pages) {
      await page.goto(`${dashboard.url}/m/BTC`);
      await page.getByRole('list', { name: 'Bids' }).waitFor();
    }
    expect(await dashboard.gateway('open')).toBe(1);
    expect(await dashboard.gateway('subscriptions')).toBeGreaterThan(3);
    const hide = (isHidden: boolean): string =>
      `Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true }); document.dispatchEvent(new Event('visibilitychange'))`;
    for (const page of pages) await page.evaluate(hide(true));
    await vi.waitUntil(async () => (await dashboard.gateway('subscriptions')) === 0, WAIT);
    await pages[0]?.evaluate(hide(false));
    await vi.waitUntil(async () => (await dashboard.gateway('subscriptions')) > 3, WAIT);
  });

  it('has the trades of one venue, or of all, in the tape', async () => {
    const { page } = await dashboard.visit('/m/BTC?ind=none');
    const rows = page.getByRole('region', { name: 'Trades' }).locator('.row span:last-of-type');
    const venues = async (): Promise<readonly string[]> =>
      [...new Set((await rows.allTextContents()).map((text) => text.trim()))].toSorted();
    await page.getByRole('button', { name: 'All ▾' }).click();
    const filter = page.getByRole('dialog', { name: 'Options of the tape' }).getByLabel('Markets');
    await filter.selectOption('Binance');
    expect(new URL(page.url()).searchParams.get('tape')).toBe('binance');
    await vi.waitUntil(async () => (await venues()).join() === 'Binance', WAIT);
    await filter.selectOption('All venues');
    await vi.waitUntil(async () => (await venues()).join() === 'Binance,Bybit,HL,OKX', WAIT);
  });

  it('names a dead primary venue over the page within 60 s, calls nothing live that it feeds, and leaves venues that fail out of merged books, until they recover', async () => {
    const { page, conduct } = await dashboard.visit('/m/BTC');
    const merged = await dashboard.visit('/m/BTC?book=perp&ind=none');
    const fed = ['Chart', 'Tape', 'Footprint', 'Book'];
    const states = (): Promise<readonly (string | null)[]> =>
      Promise.all(
        fed.map((name) => page.getByRole('region', { name, exact: true }).getAttribute('data-freshness')),
      );
    const bar = page.getByRole('status', { name: 'Outages' });
    await vi.waitUntil(async () => (await states()).every((state) => state === 'live'), WAIT);
    // On a busy machine a source may be late at first.
    await bar.waitFor({ ...WAIT, state: 'detached' });
    const rows = merged.page.getByRole('list', { name: 'Markets of the book' }).getByRole('listitem');
    /** Which venues are part of the sums. */
    const counted = async (): Promise<string> => {
      const texts = (await rows.allInnerTexts()).filter((text) => text.includes('$'));
      return texts
        .map((text) => text.split('\n')[0])
        .toSorted()
        .join();
    };
    await vi.waitUntil(async () => (await counted()) === 'Binance,Bybit,HL,OKX', WAIT);
    await merged.page.locator('.bids li b').first().waitFor();
    await merged.page.locator('section[aria-label=Book][data-freshness=live]').waitFor(WAIT);

    simulator.faults.add({ venue: 'okx', fault: 'freeze', part: 'ws' });
    simulator.faults.add({ venue: 'hyperliquid', fault: 'freeze', part: 'ws' });
    simulator.faults.add({ venue: 'hyperliquid', fault: 'status', status: 500, part: 'rest' });
    await bar.getByText(/Hyperliquid (partly )?(stale|down) since \d\d:\d\d:\d\d/).waitFor(WAIT);
    await vi.waitUntil(async () => (await states()).every((state) => state === 'stale'), WAIT);
    await vi.waitUntil(async () => (await counted()) === 'Binance,Bybit', WAIT);
    await merged.page.locator('section[aria-label=Book][data-freshness=gap]').waitFor(WAIT);
    // The same on a page of another coin, opened while it is dead, and on one that is not fed by it.
    await page.goto(`${dashboard.site}/m/ETH`);
    await bar.getByText('Hyperliquid').waitFor(WAIT);
    await vi.waitUntil(
      async () => !(await states()).some((state) => ['live', 'loading'].includes(state ?? '')),
      WAIT,
    );
    await page.goto(`${dashboard.site}/profile`);
    await bar.getByText('Hyperliquid').waitFor(WAIT);

    await page.goto(`${dashboard.site}/m/BTC`);
    simulator.faults.clear();
    await bar.waitFor({ ...WAIT, timeout: 120_000, state: 'detached' });
    await vi.waitUntil(async () => (await states()).every((state) => state === 'live'), WAIT);
    await vi.waitUntil(async () => (await counted()) === 'Binance,Bybit,HL,OKX', WAIT);
    expect(conduct.foreign).toEqual([]);
    expect(merged.conduct).toEqual({ errors: [], foreign: [] });
  });

  it('shows options that the service has just begun to fetch as loading, never as an error', async () => {
    simulator.faults.add({ venue: 'deribit', fault: 'slow', part: 'rest', delayMs: 1_000 });
    const page = await (await dashboard.visitor()).newPage();
    await page.addInitScript(`self.troubledMs = Infinity;
      new MutationObserver(() => {
        if (document.querySelector('.problem, [data-freshness=down]'))
          self.troubledMs = Math.min(self.troubledMs, performance.now());
      }).observe(document, { subtree: true, childList: true, attributes: true });`);
    await page.goto(`${dashboard.site}/options/BTC`);
    await page.locator('[data-freshness=loading]').first().waitFor(WAIT);
    await page
      .locator('[data-freshness=loading]')
      .first()
      .waitFor({ ...WAIT, state: 'detached' });
    const chain = page.getByRole('table', { name: /chain/i }).locator('tbody tr');
    await vi.waitUntil(async () => (await chain.count()) > 5, WAIT);
    // On a busy machine the fetch takes longer than a page waits for it.
    expect(await page.evaluate('self.troubledMs')).toBeGreaterThan(LOADING_MS);
    simulator.faults.clear();
  });

  it("carries range bars on exactly as the service builds them, across cut connections and the service's restart", async () => {
    const proxy = await FlakyProxy.open(dashboard.url);
    // Both windows begin before the record does, so both builds begin with its first trade, and neither is the other's.
    const spec = { coin: 'BTC', kind: 'range', params: { rangeTicks: 4 }, days: 6.5 } as const;
    const page = await (await dashboard.visitor()).newPage();
    await page.goto(`${proxy.url}/m/BTC?kind=range&rangeTicks=4&days=7`);
    const grown = async (by: number): Promise<void> => {
      const before = await barsOn(page);
      await vi.waitUntil(async () => (await barsOn(page)) >= before + by, { timeout: 90_000, interval: 200 });
    };
    await grown(5);
    proxy.cut();
    await grown(5);
    const restarted = market.restart();
    const chart = page.getByRole('region', { name: 'Chart' });
    await chart.getByTitle('Connection lost').waitFor();
    await restarted;
    await chart.getByTitle('Connection lost').waitFor({ state: 'detached' });
    await grown(5);
    await page.getByRole('button', { name: 'Share' }).click();
    const file = await savedText(page, () => page.getByRole('button', { name: 'CSV' }).click());
    const [head = '', ...rows] = file.trim().split('\n');
    proxy.close();

    const client = new Client({ url: dashboard.url, WebSocket });
    const { bars } = await buildBars(client, spec);
    const names = head.split(',').filter((name) => name !== 'complete');
    const theirs = rows.map((_, i) => names.map((name) => String(barAt(bars, i)[name])).join(','));
    expect(rows.map((row) => row.split(',').slice(0, names.length).join(','))).toEqual(theirs);
    expect(rows.length).toBeGreaterThan(15);
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { BrowserContext, Page, Route } from 'playwright-core';
import { describe, expect, it, vi } from 'vitest';
import { type DashboardSession, openDashboard } from './browser.ts';
import { itLong } from './it-long.ts';
import { chromiumPath } from './market.ts';
import { barriers } from './usable.ts';

const KILOBYTE = 1_000;
const FIRST_LOAD_MAX = 200 * KILOBYTE;
const built = fileURLToPath(new URL('../packages/dashboard/dist/', import.meta.url));

describe('what a first visit loads', () => {
  it('is less than 200 KB, compressed, before any page of its own', () => {
    const document = readFileSync(`${built}index.html`, 'utf8');
    const named = [...document.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map(
      ([, path]) => path as string,
    );
    const workers = readdirSync(`${built}assets`)
      .filter((name) => /^worker-.*\.js$/.test(name))
      .map((name) => `assets/${name}`);
    expect(named.length).toBeGreaterThan(1);
    expect(workers).toHaveLength(1);
    const bytes = [...named, ...workers].map((path) => gzipSync(readFileSync(built + path)).length);
    expect(bytes.reduce((sum, one) => sum + one, gzipSync(document).length)).toBeLessThan(FIRST_LOAD_MAX);
  });
});

describe.runIf(chromiumPath)('the dashboard', () => {
  let dashboard: DashboardSession;
  openDashboard((opened) => {
    dashboard = opened;
  });

  it('is served with what keeps a page to itself, and its assets forever', async () => {
    const document = await fetch(`${dashboard.url}/perps`, { headers: { 'Accept-Encoding': 'br' } });
    expect(document.headers.get('cache-control')).toBe('no-cache');
    expect(document.headers.get('content-security-policy')).toMatch(/default-src 'none'.*script-src 'self'/);
    const again = await fetch(`${dashboard.url}/perps`, {
      headers: { 'If-None-Match': String(document.headers.get('etag')), 'Accept-Encoding': 'br' },
    });
    expect(again.status).toBe(304);
    const [asset = ''] = /\/assets\/[^"]+\.js/.exec(await document.text()) ?? [];
    const script = await fetch(dashboard.url + asset);
    expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    const lost = await fetch(`${dashboard.url}/nowhere`, { headers: { Accept: 'text/html' } });
    expect(lost.status).toBe(404);
    // Before anything is answered, every page says what it shows.
    expect(await lost.text()).toContain('data-upstream="sim"');
    const api = await fetch(`${dashboard.url}/api/v1/nowhere`, { headers: { Accept: 'text/html' } });
    expect(api.headers.get('content-type')).toContain('application/json');
  });

  it('lets other sites frame the chart, and nothing else', async () => {
    const page = await (await dashboard.visitor()).newPage();
    const frame = (path: string): string => `<iframe src="${dashboard.site}${path}" width="800"></iframe>`;
    await page.setContent(
      frame('/embed/chart?market=hyperliquid:ETH&interval=5m&theme=light') + frame('/perps'),
    );
    const chart = page.frameLocator('iframe').first();
    await chart.locator('[data-bars]').waitFor();
    await chart.getByRole('link', { name: 'Hyperliquid ETH perp · 5m on Crosstape' }).waitFor();
    expect(await chart.locator('html').getAttribute('data-theme')).toBe('light');
    expect(await page.frameLocator('iframe').nth(1).locator('section').count()).toBe(0);
    const { headers } = await fetch(`${dashboard.url}/embed/chart`);
    expect(headers.get('x-frame-options')).toBeNull();
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'(?!.*frame-ancestors)/);
    const other = await fetch(`${dashboard.url}/perps`);
    expect(other.headers.get('x-frame-options')).toBe('DENY');
  });

  itLong('says where there is no page', async () => {
    const { page, conduct } = await dashboard.visit('/nowhere/at/all');
    await page.getByText('There is no page at /nowhere/at/all').waitFor();
    expect(conduct.errors.filter((text) => !text.includes('404'))).toEqual([]);
  });

  const findsCoin = async (page: Page): Promise<void> => {
    await page.getByText('Simulated market').waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('sol');
    await page.getByRole('option', { name: 'SOL' }).first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`${dashboard.site}/m/SOL`);
  };

  /** Notes every background from the first frame on. */
  const noteGrounds = (visitor: BrowserContext): Promise<unknown> =>
    visitor.addInitScript(`self.grounds = new Set();
const look = () => {
  if (document.documentElement) grounds.add(getComputedStyle(document.documentElement).backgroundColor);
  requestAnimationFrame(look);
};
requestAnimationFrame(look);`);
  /** The script comes a while after the styles, as it does from afar. */
  const holdScript = (page: Page): Promise<unknown> => {
    const hold = async (route: Route): Promise<void> => {
      let looks = 0;
      const isStyled = async (): Promise<boolean> =>
        Number(await page.evaluate('document.styleSheets.length')) > 0 && (looks += 1) > 5;
      await vi.waitUntil(isStyled, { timeout: 60_000, interval: 50 });
      await route.continue();
    };
    return page.route('**/assets/index-*.js', hold, { times: 1 });
  };
  const LIGHT = ['rgb(238, 241, 244)'];

  it('tours a first visitor in five steps, once, keeps theme and time zone, and finds a coin by the keyboard alone', async () => {
    const visitor = await dashboard.visitor({ hasTour: true });
    await noteGrounds(visitor);
    const page = await visitor.newPage();
    const conduct = dashboard.watch(page);
    await page.goto(dashboard.site);
    const tour = page.getByRole('dialog');
    for (let step = 1; step < 5; step += 1) {
      await tour.getByText(`${step} of 5`).waitFor();
      await tour.getByRole('button', { name: 'Next' }).press('Enter');
    }
    await tour.getByText('5 of 5').waitFor();
    expect(await barriers(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await tour.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Use the light theme' }).click();
    await page.getByRole('button', { name: 'Local' }).click();
    await holdScript(page);
    await page.reload();
    await page.getByRole('button', { name: 'Use the dark theme' }).waitFor();
    // Never dark to a reader who has chosen the light.
    expect(await page.evaluate('[...grounds]')).toEqual(LIGHT);
    expect(await page.getByRole('button', { name: 'Local' }).getAttribute('aria-pressed')).toBe('true');
    expect(await page.evaluate("localStorage.getItem('crosstape.tour')")).toBe('true');
    await findsCoin(page);
    expect(await tour.count()).toBe(0);
    expect(conduct).toEqual({ errors: [], foreign: [] });
  });

  itLong('finds a coin by the keyboard alone from another page', async () => {
    const { page, conduct } = await dashboard.visit('/status');
    await findsCoin(page);
    expect(conduct).toEqual({ errors: [], foreign: [] });
  });

  itLong('uses the light theme when the system prefers it', async () => {
    const visitor = await dashboard.visitor({ theme: 'light' });
    await noteGrounds(visitor);
    const page = await visitor.newPage();
    await holdScript(page);
    await page.goto(dashboard.site);
    await page.getByRole('button', { name: 'Use the dark theme' }).waitFor();
    expect(await page.evaluate('[...grounds]')).toEqual(LIGHT);
  });
});

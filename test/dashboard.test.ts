import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Route } from 'playwright-core';
import { describe, expect, it, vi } from 'vitest';
import { type DashboardSession, openDashboard } from './browser.ts';
import { isLong } from './long.ts';
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

  it('says 404 where there is no page: in words to people, in JSON to programs', async () => {
    const { page, conduct } = await dashboard.visit('/nowhere/at/all');
    await page.getByText('There is no page at /nowhere/at/all').waitFor();
    expect(conduct.errors.filter((text) => !text.includes('404'))).toEqual([]);
    const asked = await fetch(`${dashboard.url}/nowhere`, { headers: { Accept: 'text/html' } });
    expect(asked.status).toBe(404);
    const api = await fetch(`${dashboard.url}/api/v1/nowhere`, { headers: { Accept: 'text/html' } });
    expect(api.headers.get('content-type')).toContain('application/json');
  });

  it.each(isLong ? ['/', '/status'] : ['/'])('finds a coin by the keyboard alone from %s', async (path) => {
    const { page, conduct } = await dashboard.visit(path);
    await page.getByText('Simulated market').waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('sol');
    await page.getByRole('option', { name: 'SOL' }).first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`${dashboard.site}/m/SOL`);
    expect(conduct).toEqual({ errors: [], foreign: [] });
  });

  it('tours a first visitor in five steps, once', async () => {
    const visitor = await dashboard.visitor({ hasTour: true });
    const page = await visitor.newPage();
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
    await page.reload();
    await page.getByText('Simulated market').waitFor();
    expect(await page.evaluate("localStorage.getItem('crosstape.tour')")).toBe('true');
    expect(await tour.count()).toBe(0);
  });

  it('keeps theme and time zone for the next visit', async () => {
    const visitor = await dashboard.visitor();
    const page = await visitor.newPage();
    await page.goto(dashboard.site);
    await page.getByRole('button', { name: 'Use the light theme' }).click();
    await page.getByRole('button', { name: 'Local' }).click();
    const next = await visitor.newPage();
    await next.goto(dashboard.site);
    await next.getByRole('button', { name: 'Use the dark theme' }).waitFor();
    expect(await next.getByRole('button', { name: 'Local' }).getAttribute('aria-pressed')).toBe('true');
  });

  const wishes = [
    ['the reader', { theme: 'dark' }, "localStorage.setItem('crosstape.theme', 'light')"],
    ['the machine', { theme: 'light' }, ''],
  ] as const;
  it.each(isLong ? wishes : wishes.slice(0, 1))(
    'is never dark to whom %s wants the light',
    async (_, options, kept) => {
      const context = await dashboard.visitor(options);
      await context.addInitScript(`${kept}; self.grounds = new Set();
const look = () => {
  if (document.documentElement) grounds.add(getComputedStyle(document.documentElement).backgroundColor);
  requestAnimationFrame(look);
};
requestAnimationFrame(look);`);
      const page = await context.newPage();
      // The script comes a while after the styles, as it does from afar.
      const hold = async (route: Route): Promise<void> => {
        let looks = 0;
        const isStyled = async (): Promise<boolean> =>
          Number(await page.evaluate('document.styleSheets.length')) > 0 && (looks += 1) > 5;
        await vi.waitUntil(isStyled, { timeout: 60_000, interval: 50 });
        await route.continue();
      };
      await page.route('**/assets/index-*.js', hold, { times: 1 });
      await page.goto(dashboard.site);
      await page.getByRole('button', { name: 'Use the dark theme' }).waitFor();
      expect(await page.evaluate('[...grounds]')).toEqual(['rgb(238, 241, 244)']);
    },
  );
});

import { describe, expect, it } from 'vitest';
import { type DashboardSession, openDashboard } from './browser.ts';
import { itLong } from './it-long.ts';
import { chromiumPath } from './market.ts';

const POLICY = /^default-src 'none';.*base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/;

describe.runIf(chromiumPath)('the documentation in a browser', () => {
  let dashboard: DashboardSession;
  openDashboard((opened) => {
    dashboard = opened;
  });

  it('opens on the quickstart, finds an endpoint by search, and copies its call', async () => {
    const { page, conduct } = await dashboard.visit('/docs');
    await page.getByRole('heading', { name: /^First five minutes/, level: 1 }).waitFor();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.keyboard.press('/');
    await page.keyboard.type('perps/whales');
    await page.getByRole('link', { name: 'GET /perps/whales' }).click();
    await page.getByRole('heading', { name: /^GET \/perps\/whales/ }).waitFor();
    const call = page.locator('.code', { hasText: '/api/v1/perps/whales' }).first();
    await call.getByRole('button', { name: 'Copy' }).click();
    await call.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain('/api/v1/perps/whales');
    expect(conduct).toEqual({ errors: [], foreign: [] });
    expect(await page.content()).not.toMatch(
      /(src|href)="https?:\/\/(?!127\.0\.0\.1)[^"]*\.(js|css|woff2?)"/,
    );
  });

  it.each(['/docs', '/docs/websocket', '/docs/style.css', '/llms.txt', '/docs/page.js', '/docs/errors.md'])(
    '%s comes with what keeps a page to itself',
    async (path) => {
      const { status, headers } = await fetch(dashboard.url + path);
      expect(status).toBe(200);
      expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'/);
      if (path === '/docs') expect(headers.get('content-security-policy')).toMatch(POLICY);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
    },
  );

  itLong.each(['dark', 'light'] as const)('reads well on mobile, %s', async (theme) => {
    const { page, conduct } = await dashboard.visit('/docs/first-five-minutes', {
      width: 390,
      height: 800,
      theme,
    });
    for (const path of ['/docs/websocket', '/docs/reference', '/docs/records', '/docs/first-five-minutes']) {
      await page.goto(dashboard.url + path);
      const [wide, window] = (await page.evaluate(
        '[document.documentElement.scrollWidth, innerWidth]',
      )) as number[];
      expect(wide, path).toBe(window);
    }
    await page.getByText('All pages').click();
    await page.getByRole('link', { name: 'Order-book deltas' }).last().click();
    await page.getByRole('heading', { name: /^Order-book deltas/, level: 1 }).waitFor();
    const background = await page.evaluate('getComputedStyle(document.body).backgroundColor');
    expect(background).toBe(theme === 'dark' ? 'rgb(16, 20, 24)' : 'rgb(255, 255, 255)');
    expect(conduct).toEqual({ errors: [], foreign: [] });
  });
});

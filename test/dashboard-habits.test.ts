import { systemClock } from '@crosstape/client';
import type { BrowserContext, Page } from 'playwright-core';
import { describe, expect, it, vi } from 'vitest';
import { type DashboardSession, openDashboard } from './browser.ts';
import { itLong } from './it-long.ts';
import { chromiumPath } from './market.ts';

const WAIT = { timeout: 60_000, interval: 100 };
const HOUR_MS = 3_600_000;
/** A sheet of calls is as wide. */
const SHEET_PX = 520;

/** Notes every text that is drawn, and on what. */
const NOTE_TEXTS = `self.written = [];
const draw = CanvasRenderingContext2D.prototype.fillText;
CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
  self.written.push([text, this.canvas]);
  return draw.call(this, text, ...place);
};`;
/** Answers to a worker that tabs share cannot be replaced; those to a tab's own can. */
const NOTHING_SHARED = 'delete self.SharedWorker;';
/** Whether elements were there in each of the next frames: \`kept('.row')\`. */
const kept = (place: string, act: string): string => `new Promise((resolve) => {
  let [frames, least] = [0, Infinity];
  const look = () => {
    least = Math.min(least, document.querySelectorAll(${JSON.stringify(place)}).length);
    if ((frames += 1) < 30) requestAnimationFrame(look);
    else resolve(least);
  };
  ${act};
  requestAnimationFrame(look);
})`;

/** What was drawn within a place since the last look. */
const writtenOn = (page: Page, place: string): Promise<readonly string[]> =>
  page.evaluate(
    `self.written.splice(0).flatMap(([text, canvas]) => (canvas.closest(${JSON.stringify(place)}) ? [text] : []))`,
  );

describe.runIf(chromiumPath)('a user of the dashboard', () => {
  let dashboard: DashboardSession;
  openDashboard((opened) => {
    dashboard = opened;
  });

  /** A visitor whose answers can be replaced. */
  const alone = async (): Promise<BrowserContext> => {
    const visitor = await dashboard.visitor();
    await visitor.addInitScript(NOTHING_SHARED);
    return visitor;
  };

  itLong('sees that the market is simulated before anything is answered', async () => {
    const visitor = await dashboard.visitor();
    await visitor.addInitScript(
      'self.SharedWorker = class { port = { addEventListener() {}, start() {}, postMessage() {} } }',
    );
    const page = await visitor.newPage();
    await page.goto(dashboard.site);
    await page.getByText('Simulated market').waitFor();
    const lost = await fetch(`${dashboard.url}/nowhere`, { headers: { Accept: 'text/html' } });
    expect(await lost.text()).toContain('data-upstream="sim"');
  });

  it('keeps tape, book and footprint when the address changes for another reason', async () => {
    const { page } = await dashboard.visit('/m/BTC?kind=tick&trades=50&days=0.1&min=999999999');
    await page.getByText('No trade of this size yet.').waitFor();
    await page.getByRole('region', { name: 'Tape' }).getByRole('button', { name: '▾' }).click();
    await page.getByLabel('Minimum size').selectOption('1');
    await page.keyboard.press('Escape');
    await page.getByRole('region', { name: 'Trades' }).locator('.row').nth(5).waitFor();
    await page.getByRole('list', { name: 'Bids' }).waitFor();
    const click = `[...document.querySelectorAll('[aria-label="Kind of bars"] button')].find((one) => one.textContent === 'Range').click()`;
    expect(await page.evaluate(kept('[aria-label="Trades"] .row', click))).toBeGreaterThan(5);
    expect(new URL(page.url()).searchParams.get('kind')).toBe('range');
    const back = click.replace("'Range'", "'Tick'");
    expect(await page.evaluate(kept('[aria-label="Bids"] li', back))).toBeGreaterThan(5);
    const footprint = page.getByRole('slider', { name: /^Footprint of [1-9]/ });
    await footprint.waitFor();
    expect(
      await page.evaluate(kept('[aria-label^="Footprint of"]:not([aria-label^="Footprint of 0"])', click)),
    ).toBe(1);
  });

  itLong('reads times of the zone that was chosen on the axis of the chart', async () => {
    const visitor = await dashboard.browser.newContext({
      timezoneId: 'Asia/Tokyo',
      viewport: { width: 1440, height: 900 },
    });
    await visitor.addInitScript(NOTE_TEXTS);
    const page = await visitor.newPage();
    await page.goto(`${dashboard.site}/m/BTC?kind=tick&trades=50&days=0.1`);
    const hours = async (): Promise<readonly number[]> =>
      (await writtenOn(page, '[aria-label=Chart]')).flatMap((text) =>
        /^\d\d:\d\d$/.test(text) ? [Number(text.slice(0, 2))] : [],
      );
    await vi.waitUntil(async () => (await hours()).length > 0, WAIT);
    await page.getByRole('button', { name: 'Local' }).click();
    await writtenOn(page, '[aria-label=Chart]');
    const now = new Date();
    // The visible bars reach up to 2.4 hours back.
    const near = [0, 23, 22].map((before) => (now.getUTCHours() + 9 + before) % 24);
    let seen: readonly number[] = [];
    await vi.waitUntil(async () => (seen = await hours()).length > 0, WAIT);
    expect(seen.filter((hour) => !near.includes(hour))).toEqual([]);
    await visitor.close();
  });

  itLong('reads bars and footprints by keyboard, with their units', async () => {
    const { page } = await dashboard.visit('/m/BTC?kind=tick&trades=50&days=0.1');
    const chart = page.getByRole('slider', { name: 'Tick bars of BTC' });
    await page.locator('[data-bars]').waitFor();
    expect((await page.locator('[data-bars]').innerText()).replaceAll('\n', '')).toMatch(
      /O\$[\d,]+H\$[\d,]+L\$[\d,]+C\$[\d,]+.*BTC.*Δ.*BTC/,
    );
    await chart.focus();
    expect(await chart.getAttribute('aria-valuetext')).toMatch(/^\d+ bars$/);
    await page.keyboard.press('Home');
    const first = await chart.getAttribute('aria-valuetext');
    expect(first).toMatch(/open \$.*close \$.*volume .* BTC, delta .* BTC/);
    await page.keyboard.press('ArrowRight');
    expect(await chart.getAttribute('aria-valuetext')).not.toBe(first);
    await page.keyboard.press('+');
    await page.keyboard.press('-');
    await page.keyboard.press('Escape');
    expect(await chart.getAttribute('aria-valuetext')).toMatch(/^\d+ bars$/);

    const footprint = page.getByRole('slider', { name: /^Footprint of [1-9]/ });
    await footprint.focus();
    await page.keyboard.press('End');
    expect(await footprint.getAttribute('aria-valuetext')).toMatch(/BTC traded, most at \$.*, delta .* BTC/);
  });

  itLong('sees what is missing where there are no figures, and why', async () => {
    const visitor = await alone();
    await visitor.route('**/api/v1/perps/tickers*', async (route) => {
      const answer = (await (await route.fetch()).json()) as object;
      await route.fulfill({ json: { ...answer, data: [] } });
    });
    await visitor.route('**/api/v1/perps/oi', (route) =>
      route.fulfill({ status: 503, json: { error: 'Its source is down.', meta: { code: 'unavailable' } } }),
    );
    const page = await visitor.newPage();
    await page.goto(dashboard.site);
    await page.getByText('No coin is traded at the moment.').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: 'Its source is down.' }).waitFor();
    await page.goto(`${dashboard.site}/m/BTC?kind=volume`);
    await page.getByText('The daily volume of BTC is unknown: enter a size above').waitFor();
  });

  it('sees on every page and in each part of a chart why figures are missing', async () => {
    const rule = {
      id: 'a',
      kind: 'fundingSpread',
      subject: 'BTC',
      side: 'above',
      value: 1,
      minutes: 0,
      isOn: true,
    };
    const { page, conduct } = await dashboard.visit('/m/BTC?ind=none');
    await page.locator('[data-bars]').waitFor();
    dashboard.refuse(/^\/(markets\/recorded|flows\/cvd|perps\/liquidations\/events|candles\?.*ETH)/);
    await page.goto(`${dashboard.site}/m/SOL?ind=compare_ETH,liqmap,cvdvenues`);
    await page.getByText('Liquidations: Refused by the test.').waitFor();
    await page.getByText('Compare with ETH: Refused by the test.').waitFor();
    await page
      .getByRole('status', { name: 'Panes' })
      .getByText('CVD of SOL by venue, $ · Refused by the test.')
      .waitFor();
    await page.getByRole('button', { name: 'hyperliquid:SOL ▾' }).click();
    await page.getByRole('dialog').getByText('Refused by the test.').waitFor();
    dashboard.refuse(/./);
    await page.evaluate(`localStorage.setItem('crosstape.alerts', '${JSON.stringify([rule])}')`);
    for (const [path, place] of [
      ['/m/DOGE', 'Chart'],
      ['/charts?n=1&charts=XRP@5m', 'Chart 1'],
      ['/screener', 'Screener'],
      ['/funding', 'Best long and short'],
      ['/options/ETH', 'ETH chain'],
      ['/audit', 'Audit calendar, UTC days'],
      ['/alerts', 'Alerts'],
    ] as const) {
      await page.goto(dashboard.site + path);
      const panel = page.getByRole('region', { name: place, exact: true });
      await panel
        .getByText(/Refused by the test\.$/)
        .first()
        .waitFor();
    }
    await page.goto(`${dashboard.site}/embed/chart?market=hyperliquid:AVAX`);
    await page.getByText('Refused by the test.').waitFor();
    expect(conduct.errors.filter((text) => !text.includes('500'))).toEqual([]);
  });

  it('sees over every page which venue is down, and since when', async () => {
    const visitor = await alone();
    await visitor.route('**/healthz', async (route) => {
      const health = (await (await route.fetch()).json()) as object;
      const outage = { id: 'hyperliquid', name: 'Hyperliquid', status: 'down', forMs: 60_000 };
      const failing = [{ ...outage, error: 'No answer.', feeds: ['trades'], partial: true }];
      await route.fulfill({ json: { ...health, failing } });
    });
    const page = await visitor.newPage();
    await page.goto(`${dashboard.site}/profile`);
    const bar = page.getByRole('status', { name: 'Outages' });
    await bar.getByText(/Hyperliquid partly down since \d\d:\d\d:\d\d/).waitFor();
  });

  itLong('sees what is usual on an axis that a spike does not stretch', async () => {
    const visitor = await alone();
    await visitor.addInitScript(NOTE_TEXTS);
    await visitor.route('**/api/v1/perps/funding/history*', async (route) => {
      const answer = (await (await route.fetch()).json()) as { data: object };
      const now = systemClock.now();
      const points = Array.from({ length: 300 }, (_, i) => ({
        ts: now - (300 - i) * (HOUR_MS / 6),
        byVenue: { hyperliquid: i === 150 ? 0.01 : 0.00001 * (1 + (i % 5) / 10) },
      }));
      const data = { ...answer.data, points, periodHours: { hyperliquid: 1 } };
      await route.fulfill({ json: { ...answer, data } });
    });
    const page = await visitor.newPage();
    await page.goto(`${dashboard.site}/perps?coin=BTC`);
    await page.getByText('▲ ▼ beyond the axis').waitFor();
    const chart = page.getByRole('region', { name: 'BTC funding, 7 days' });
    await chart.getByRole('slider').waitFor();
    await vi.waitFor(async () => {
      const ticks = (await writtenOn(page, '[aria-label^="BTC funding"]')).flatMap((text) =>
        text.endsWith('%') ? [Number.parseFloat(text.replaceAll(',', ''))] : [],
      );
      expect(ticks.length).toBeGreaterThan(2);
      expect(Math.max(...ticks)).toBeLessThan(100);
    }, WAIT);
  });

  itLong(
    'sees every sheet of calls whole and continues at its button, learns how fresh figures are without a mouse, and comes from a question of the overview to its book',
    async () => {
      const { page } = await dashboard.visit('/');
      await page.getByRole('table', { name: 'Movers' }).waitFor();
      for (const width of [1440, 1024]) {
        await page.setViewportSize({ width, height: 900 });
        for (const button of await page.getByRole('button', { name: 'API', exact: true }).all()) {
          if (((await button.boundingBox())?.x ?? 0) > SHEET_PX) continue;
          await button.click();
          const sheet = page.getByRole('dialog');
          const box = await sheet.boundingBox();
          expect(box?.x).toBeGreaterThanOrEqual(0);
          expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width);
          await sheet.locator('pre').first().focus();
          await page.keyboard.press('Escape');
          await sheet.waitFor({ state: 'detached' });
          expect(await button.evaluate((one) => one === one.ownerDocument.activeElement)).toBe(true);
        }
      }
      const badge = page.getByRole('region', { name: 'Movers' }).getByRole('button', { name: /^live/ });
      await badge.focus();
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: 'Data freshness' }).getByText('Up to date.').waitFor();
      await page.keyboard.press('Escape');
      const link = page.getByRole('table', { name: 'Prediction markets' }).getByRole('link').nth(2);
      const question = await link.innerText();
      await link.click();
      await page
        .getByRole('region', { name: 'Order book' })
        .getByRole('heading', { name: question, exact: true })
        .waitFor();
    },
  );

  itLong(
    'puts the menu of a phone away by its button, by Escape, by a tap beside it and by any of its links',
    async () => {
      const { page } = await dashboard.visit('/', { width: 390, height: 844 });
      const button = page.getByRole('button', { name: 'Menu' });
      const menu = page.getByRole('navigation', { name: 'Pages' });
      const away = [
        () => button.click(),
        () => page.keyboard.press('Escape'),
        () => page.mouse.click(380, 600),
        () => menu.getByRole('link', { name: 'Overview' }).click(),
      ];
      for (const put of away) {
        await button.click();
        await menu.waitFor();
        expect(await button.getAttribute('aria-expanded')).toBe('true');
        await put();
        await menu.waitFor({ state: 'hidden' });
        expect(await button.getAttribute('aria-expanded')).toBe('false');
      }
    },
  );

  itLong('has the builds of all its tabs in each, sent over the socket', async () => {
    const visitor = await alone();
    const asked: string[] = [];
    visitor.on('request', (request) => asked.push(new URL(request.url()).pathname));
    const tabs = [await visitor.newPage(), await visitor.newPage()];
    for (const tab of tabs) await tab.goto(`${dashboard.site}/data?kind=tick&trades=10`);
    const build = (tab: Page): Promise<void> =>
      tab.getByRole('button', { name: 'Build', exact: true }).click();
    const [first, second] = tabs as [Page, Page];
    await build(first);
    await first.locator('article[data-status="done"]').waitFor();
    await second.getByRole('button', { name: 'Range', exact: true }).click();
    await build(second);
    for (const tab of tabs) {
      await tab.locator('article[aria-label="BTC range bars"][data-status="done"]').waitFor();
      await tab.locator('article[aria-label="BTC tick bars"][data-status="done"]').waitFor();
    }
    expect(asked).toContain('/api/v1/coverage');
    expect(asked).not.toContain('/api/v1/perps/rotations/job');
  });

  it('goes back from a page whose code could not be loaded to one that is there', async () => {
    const { page } = await dashboard.visit('/');
    await page.getByRole('table', { name: 'Movers' }).waitFor();
    await page.route('**/assets/*.js', (route) => route.abort());
    await page.getByRole('link', { name: 'Status' }).click();
    await page.getByText('This page could not be loaded').waitFor();
    await page.goBack();
    await page.getByRole('table', { name: 'Movers' }).waitFor();
    expect(await page.getByText('This page could not be loaded').count()).toBe(0);
  });
});

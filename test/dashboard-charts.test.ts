import type { Locator, Page } from 'playwright-core';
import { describe, expect, it, vi } from 'vitest';
import { type DashboardSession, openDashboard, savedText } from './browser.ts';
import { itLong } from './it-long.ts';
import { chromiumPath } from './market.ts';
import { expectAccessible } from './usable.ts';

const WAIT = { timeout: 60_000, interval: 50 };
/** Charts of the same times may differ by as many bars: each ends with its own newest. */
const APART_MAX = 8;

describe.runIf(chromiumPath)('layouts of charts', () => {
  let dashboard: DashboardSession;
  openDashboard((opened) => {
    dashboard = opened;
  });

  const charts = (page: Page): Locator => page.getByRole('slider', { name: /bars of/ });
  /** How many bars each chart has visible; NaN before it has any. */
  const sights = (page: Page): Promise<number[]> =>
    charts(page).evaluateAll((all) => all.map((one) => Number((one.dataset.view ?? '').split(' ').at(1))));
  const choose = (page: Page, count: string): Promise<void> =>
    page
      .getByRole('group', { name: 'Number of charts' })
      .getByRole('button', { name: count, exact: true })
      .click();
  /** Until there are as many charts, all with the same number of visible bars. */
  const untilSame = (page: Page, count: number): Promise<unknown> =>
    vi.waitFor(async () => {
      const seen = await sights(page);
      expect(seen).toHaveLength(count);
      expect(seen.filter((one) => !(Math.abs(one - seen[0]!) < APART_MAX))).toEqual([]);
    }, WAIT);

  itLong(
    'show the same times, the same bar and the same coin in 2, 4 and 6 charts where these are linked',
    async () => {
      const { page, conduct } = await dashboard.visit('/charts?n=2&charts=BTC@5m,ETH@5m&link=time');
      await untilSame(page, 2);
      const [before = 0] = await sights(page);
      await charts(page).first().press('-');
      await vi.waitUntil(async () => (await sights(page))[0] !== before, WAIT);
      // Those that are added show the times that the reader has chosen.
      for (const count of [2, 4, 6]) {
        await choose(page, String(count));
        await untilSame(page, count);
      }
      // All read out the bar that one of them points at.
      await charts(page).nth(4).press('End');
      await page.keyboard.press('ArrowLeft');
      await vi.waitFor(async () => {
        const spoken = await charts(page).evaluateAll((all) => all.map((one) => one.ariaValueText ?? ''));
        const times = spoken.map((text) => /^\d\d \w+, \d\d:\d\d/.exec(text)?.[0]);
        expect(times).toEqual(Array.from({ length: 6 }, () => times[4]));
        expect(times[4]).toBeDefined();
      }, WAIT);
      // Not linked, the others stay.
      await page.getByRole('button', { name: 'Time', exact: true }).click();
      const linked = await sights(page);
      await charts(page).nth(5).press('+');
      await vi.waitUntil(async () => Math.abs((await sights(page))[5]! - linked[5]!) > APART_MAX, WAIT);
      expect((await sights(page)).slice(0, 5)).toEqual(linked.slice(0, 5));

      await page.getByRole('button', { name: 'Coin', exact: true }).click();
      await page.getByLabel('Coin of chart 3').fill('xrp');
      await page.getByLabel('Coin of chart 3').press('Enter');
      await vi.waitFor(async () => {
        expect(await page.getByRole('slider', { name: '5m bars of XRP' }).count()).toBe(6);
      }, WAIT);
      expect(new URL(page.url()).searchParams.get('charts')).toBe(Array(6).fill('XRP@5m').join());
      expect(conduct).toEqual({ errors: [], foreign: [] });
    },
  );

  itLong('have indicators, a kind of bars and the drawings of its market for each chart', async () => {
    const { page, conduct } = await dashboard.visit('/charts?n=2&charts=BTC@5m,ETH@15m&ind=vwap');
    const paramsOf = (): object => Object.fromEntries(new URL(page.url()).searchParams);
    const second = page.getByRole('region', { name: 'Chart 2' });
    const legend = (place: number): Locator => page.locator('[data-bars]').nth(place);
    await legend(0).getByText('VWAP').waitFor(WAIT);
    await second.getByRole('button', { name: 'Indicators of chart 2' }).click();
    await second.getByRole('checkbox', { name: /^EMA/ }).click();
    await second.getByRole('checkbox', { name: /^VWAP/ }).click();
    await legend(1).getByText('EMA 20').waitFor(WAIT);
    expect(await legend(0).getByText('EMA 20').count()).toBe(0);
    expect(paramsOf()).toEqual({ n: '2', charts: 'BTC@5m,ETH@15m', ind: 'vwap', ind2: 'ema' });
    // The button is below the visible part of the list, which scrolls.
    const list = second.getByRole('dialog', { name: 'Indicators' }).getByRole('list');
    const toAll = second.getByRole('button', { name: 'Use in all charts' });
    expect(await list.evaluate((one) => one.scrollHeight > one.clientHeight)).toBe(true);
    const [listBox, buttonBox] = [await list.boundingBox(), await toAll.boundingBox()];
    expect(buttonBox!.y).toBeGreaterThanOrEqual(listBox!.y + listBox!.height);
    await toAll.click();
    await legend(0).getByText('EMA 20').waitFor(WAIT);
    expect(paramsOf()).toEqual({ n: '2', charts: 'BTC@5m,ETH@15m', ind: 'ema' });
    await page.keyboard.press('Escape');

    await page.getByLabel('Bars of chart 2').selectOption('Range');
    await page.getByRole('slider', { name: 'Range bars of ETH' }).waitFor(WAIT);
    await page.getByLabel('Range, ticks, of chart 2').fill('40');
    await page.getByLabel('Range, ticks, of chart 2').press('Enter');
    await legend(1).waitFor(WAIT);
    await page.getByRole('button', { name: 'Log', exact: true }).click();
    expect(paramsOf()).toEqual({
      n: '2',
      charts: 'BTC@5m,ETH@15m:range:40',
      ind: 'ema',
      scale: 'log',
    });

    // A note that another tab has written on Ether is on its chart only.
    await page.evaluate(`{
      self.noted = [];
      const { fillText } = CanvasRenderingContext2D.prototype;
      CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
        if (text === 'Retest') self.noted.push(this.canvas.closest('section').ariaLabel);
        return fillText.call(this, text, ...rest);
      };
      const note = { id: 'a', tool: 'note', anchors: [{ ts: Date.now(), price: 1 }], text: 'Retest' };
      const newValue = JSON.stringify({ 'hyperliquid:ETH': [note] });
      dispatchEvent(new StorageEvent('storage', { key: 'crosstape.drawings', newValue }));
    }`);
    await vi.waitUntil(() => page.evaluate('self.noted.length > 0'), WAIT);
    expect(new Set(await page.evaluate<string[]>('self.noted'))).toEqual(new Set(['Chart 2']));
    expect(conduct).toEqual({ errors: [], foreign: [] });
  });

  it('are saved under a name, and opened again', async () => {
    const { page } = await dashboard.visit('/charts?n=2&charts=BTC@5m,ETH@15m&link=coin');
    await page.getByLabel('Coin of chart 1').fill('sol');
    await page.getByLabel('Coin of chart 1').press('Enter');
    await page.getByRole('slider', { name: /15m bars of SOL/ }).waitFor(WAIT);
    const paramsOf = (): object => Object.fromEntries(new URL(page.url()).searchParams);
    const address = { n: '2', charts: 'SOL@5m,SOL@15m', link: 'coin' };
    expect(paramsOf()).toEqual(address);
    await page.getByRole('button', { name: 'Layouts' }).click();
    await page.getByRole('form', { name: 'Save this layout' }).getByRole('textbox').fill('Two of SOL');
    await page.keyboard.press('Enter');
    await page.goto(`${dashboard.site}/charts?n=1`);
    await page.getByRole('button', { name: 'Layouts' }).click();
    await page.getByRole('link', { name: 'Two of SOL' }).click();
    await page.getByRole('slider', { name: /15m bars of SOL/ }).waitFor(WAIT);
    expect(paramsOf()).toEqual(address);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Interval', exact: true }).click();
    await page.getByLabel('Bars of chart 1').selectOption('1h');
    await page
      .getByRole('slider', { name: /1h bars of SOL/ })
      .nth(1)
      .waitFor(WAIT);
    expect(paramsOf()).toEqual({ n: '2', charts: 'SOL@1h,SOL@1h', link: 'coin,interval' });
    await expectAccessible(page);
  });

  itLong('are exported and imported as a file, and a file that is not one is refused', async () => {
    const { page, conduct } = await dashboard.visit(
      '/charts?n=1&charts=SOL@5m:range:40&ind1=ema,rsi&scale=log',
    );
    await page.getByRole('button', { name: 'Layouts' }).click();
    await page.getByRole('form', { name: 'Save this layout' }).getByRole('textbox').fill('Range of SOL');
    await page.keyboard.press('Enter');
    const link = page.getByRole('link', { name: 'Range of SOL' });
    await link.waitFor();
    const text = await savedText(page, () => page.getByRole('button', { name: 'Export' }).click());
    const file = JSON.parse(text) as { crosstape: string; layouts: Record<string, string> };
    expect(file.crosstape).toBe('layouts');
    expect(Object.fromEntries(new URLSearchParams(file.layouts['Range of SOL']))).toEqual({
      n: '1',
      charts: 'SOL@5m:range:40',
      ind1: 'ema,rsi',
      scale: 'log',
    });
    await page.getByRole('button', { name: 'Delete the layout Range of SOL' }).click();
    await link.waitFor({ state: 'detached' });
    const importFile = (content: string): Promise<void> =>
      page
        .getByLabel('Import')
        .setInputFiles({ name: 'a.json', mimeType: 'application/json', buffer: Buffer.from(content) });
    await importFile('{"crosstape":"layouts","version":2}');
    await page.getByRole('alert').getByText('File version 2 is not supported.').waitFor();
    await importFile(text);
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await page.goto(`${dashboard.site}/charts?n=1`);
    await page.getByRole('button', { name: 'Layouts' }).click();
    await link.click();
    await page.getByRole('slider', { name: 'Range bars of SOL' }).waitFor(WAIT);
    await page.locator('[data-bars]').getByText('EMA 20').waitFor(WAIT);
    expect(conduct).toEqual({ errors: [], foreign: [] });
  });
});

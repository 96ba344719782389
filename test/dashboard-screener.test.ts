import type { Page } from 'playwright-core';
import { describe, expect, it, vi } from 'vitest';
import { usd } from '../packages/dashboard/src/format/numbers.ts';
import { type DashboardSession, openDashboard, savedText } from './browser.ts';
import { itLong } from './it-long.ts';
import { chromiumPath } from './market.ts';
import { expectAccessible } from './usable.ts';

const DRAWN = { timeout: 60_000, interval: 50 };
const CLEAN = { errors: [], foreign: [] };

describe.runIf(chromiumPath)('the screener', () => {
  let dashboard: DashboardSession;
  openDashboard((opened) => {
    dashboard = opened;
  });

  const rowsOf = (page: Page) => page.getByRole('grid', { name: 'Screener' }).locator('tbody a');
  const importFile = (page: Page, text: string): Promise<void> =>
    page
      .getByLabel('Import')
      .setInputFiles({ name: 'lists.json', mimeType: 'application/json', buffer: Buffer.from(text) });

  it('shows what is filtered, starred and saved again', async () => {
    const { page, conduct } = await dashboard.visit('/screener?f=volume>50m');
    const coins = rowsOf(page);
    await coins.first().waitFor(DRAWN);
    const { data: rows } = await dashboard.json<{
      data: readonly { coin: string; volume24hUsd: number }[];
    }>('/perps/tickers');
    const large = rows.filter(({ volume24hUsd }) => volume24hUsd > 50e6).map(({ coin }) => coin);
    expect((await coins.allInnerTexts()).toSorted()).toEqual(large.toSorted());
    await page.getByRole('button', { name: 'ETH on Watchlist' }).click();
    // A column more, and a filter and an alert by a click on a figure of it.
    await page.getByRole('button', { name: /^Columns/ }).click();
    await page.getByRole('checkbox', { name: 'OI 4 h' }).check();
    await page.keyboard.press('Escape');
    const price = page.locator('tr[data-key=ETH] td').nth(2);
    await price.click();
    await page.getByRole('menuitem', { name: /^Alert: ETH price above/ }).click();
    expect(await page.evaluate("localStorage.getItem('crosstape.alerts')")).toMatch(/"subject":"ETH"/);
    await price.click({ button: 'right' });
    await page.getByRole('menuitem', { name: /^Only coins with Price below/ }).click();
    await page.getByRole('button', { name: /Remove the filter Price/ }).click();
    await page.getByRole('textbox', { name: 'Name of the view' }).fill('Large');
    await page.getByRole('button', { name: 'Save view' }).click();
    await page.getByRole('button', { name: /Remove the filter Volume/ }).click();
    await vi.waitUntil(() => !new URL(page.url()).searchParams.has('f'), DRAWN);
    await page.getByRole('combobox', { name: 'Coins' }).selectOption('Watchlist');
    expect(await coins.allInnerTexts()).toEqual(['ETH']);
    await page.reload();
    await page.getByRole('link', { name: 'Large' }).click();
    await page.getByRole('button', { name: /Remove the filter Volume > \$50.00M/ }).waitFor(DRAWN);
    await page.getByRole('columnheader', { name: 'OI 4 h' }).waitFor(DRAWN);
    // The heading says which period the large prints are of.
    await page.getByRole('columnheader', { name: /^Whales \d+ [hm]$/ }).waitFor(DRAWN);
    await expectAccessible(page);
    expect(conduct).toEqual(CLEAN);
  }, 180_000);

  it('is one tab stop whose cells are reached by arrow keys, and opens the menu of a cell by Enter', async () => {
    const { page, conduct } = await dashboard.visit('/screener?cols=price,volume,funding');
    await rowsOf(page).nth(2).waitFor(DRAWN);
    const focused = (): Promise<unknown> =>
      page.evaluate(`(() => {
        const cell = document.activeElement.closest('td');
        return cell && [cell.parentElement.rowIndex, cell.cellIndex];
      })()`);
    const press = async (...keys: readonly string[]): Promise<void> => {
      for (const key of keys) await page.keyboard.press(key);
    };
    const { width, height } = page.viewportSize() ?? {};
    await page.setViewportSize({ width: 800, height: 400 });
    await rowsOf(page).last().scrollIntoViewIfNeeded();
    const heading = page.getByRole('columnheader').last();
    expect(await heading.evaluate((element) => element.getBoundingClientRect().top)).toBeGreaterThan(44);
    await page.setViewportSize({ width: width ?? 0, height: height ?? 0 });
    await page.getByRole('columnheader').last().getByRole('button').focus();
    await press('Tab');
    expect(await focused()).toEqual([1, 0]);
    await press('ArrowDown', 'ArrowRight', 'ArrowRight');
    expect(await focused()).toEqual([2, 2]);
    await press('End', 'ArrowRight');
    expect(await focused()).toEqual([2, 4]);
    await press('Control+Home', 'ArrowRight', 'ArrowRight', 'ArrowRight');
    expect(await focused()).toEqual([1, 3]);
    await press('Enter');
    await page.locator('[role=menuitem]:focus', { hasText: /^Only coins with Volume above/ }).waitFor();
    expect(await page.getByRole('menu').getAttribute('aria-label')).toMatch(/: Volume$/);
    await press('Escape');
    expect(await focused()).toEqual([1, 3]);
    // The stars and links before it are no stops.
    await press('Shift+Tab');
    expect(await page.evaluate("document.activeElement.closest('tbody')")).toBeNull();
    await press('Tab');
    expect(await focused()).toEqual([1, 3]);
    await press('Enter', 'ArrowDown', 'Enter');
    await page.getByRole('button', { name: /Remove the filter Volume < / }).waitFor();
    expect(conduct).toEqual(CLEAN);
  });

  it('shows and filters the volume of each venue', async () => {
    const { page, conduct } = await dashboard.visit('/screener?cols=price,volumeAll&f=volumeShare>10');
    await rowsOf(page).nth(2).waitFor(DRAWN);
    await page.getByRole('button', { name: /^Columns/ }).click();
    await page.getByRole('checkbox', { name: 'V. OKX' }).check();
    await page.keyboard.press('Escape');
    const cells = page.locator('tr[data-key=BTC] td');
    await vi.waitFor(async () => {
      const rows = dashboard
        .answerTo<readonly { coin: string; venue: string; volume24hUsd: number }[]>(/^\/perps\/volume\?/)
        .filter(({ coin }) => coin === 'BTC');
      const all = rows.reduce((sum, { volume24hUsd }) => sum + volume24hUsd, 0);
      const okx = rows.find(({ venue }) => venue === 'okx')?.volume24hUsd;
      expect((await cells.allInnerTexts()).slice(3)).toEqual([usd(all), usd(okx)]);
    }, DRAWN);
    await page.getByRole('columnheader', { name: 'V. OKX' }).getByRole('button').click();
    await vi.waitUntil(() => new URL(page.url()).searchParams.get('sort')?.endsWith('volume_okx'), DRAWN);
    expect(conduct).toEqual(CLEAN);
  });

  it('follows prices by trades, not only by answers', async () => {
    const { page } = await dashboard.visit('/screener?cols=price,change24h');
    const row = page.locator('tr[data-key=BTC]');
    await row.waitFor(DRAWN);
    dashboard.refuse(/^\/perps\/tickers/);
    const seen = new Set<string>();
    await vi.waitUntil(async () => seen.add(await row.innerText()).size > 3, DRAWN);
  });

  itLong('saves the rows that are shown as CSV', async () => {
    const { page } = await dashboard.visit('/screener?f=volume>50m&cols=volume,funding_okx');
    const coins = rowsOf(page);
    await coins.nth(1).waitFor(DRAWN);
    const text = await savedText(page, () => page.getByRole('button', { name: 'CSV' }).click());
    const [head, ...lines] = text.trim().split('\n');
    expect(head).toBe('coin,volume,funding_okx');
    expect(lines.map((line) => line.split(',')[0]).toSorted()).toEqual(
      (await coins.allInnerTexts()).toSorted(),
    );
    for (const line of lines) expect(Number(line.split(',')[1])).toBeGreaterThan(50e6);
  });

  itLong('keeps lists of coins, which are exported and imported as a file', async () => {
    const { page, conduct } = await dashboard.visit('/screener?cols=price');
    await rowsOf(page).nth(2).waitFor(DRAWN);
    await page.getByRole('button', { name: 'Lists' }).click();
    const form = page.getByRole('form', { name: 'Create list' });
    await form.getByRole('textbox').fill('Mine');
    await page.keyboard.press('Enter');
    await page.getByText('No coin is on this list').waitFor(DRAWN);
    await form.getByRole('textbox').fill('Mine');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('There is a list of this name.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('combobox', { name: 'Coins' }).selectOption('All coins');
    await page.getByRole('button', { name: 'BTC on Watchlist' }).click();
    await page.getByRole('button', { name: 'Lists' }).click();
    const text = await savedText(page, () => page.getByRole('button', { name: 'Export' }).click());
    expect(JSON.parse(text)).toEqual({
      crosstape: 'watchlists',
      version: 1,
      watchlists: { Watchlist: ['BTC'], Mine: [] },
    });
    await page.getByRole('button', { name: 'Delete the list Mine' }).click();
    await importFile(page, '{"crosstape":"layouts"}');
    await page.getByRole('alert').getByText('This is not a watchlists file.').waitFor();
    await importFile(page, text.replace('"Mine": []', '"Mine": ["ETH", "SOL"]'));
    await page.getByRole('button', { name: '★ Mine (2)' }).click();
    await vi.waitFor(async () => {
      expect((await rowsOf(page).allInnerTexts()).toSorted()).toEqual(['ETH', 'SOL']);
    }, DRAWN);
    await page.getByRole('alert').waitFor({ state: 'detached' });
    expect(conduct).toEqual(CLEAN);
  });
});

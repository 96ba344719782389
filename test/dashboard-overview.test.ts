import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { percent, price, usd } from '../packages/dashboard/src/format/numbers.ts';
import { chromiumPath, Desk } from './browser.ts';

/** Both the page and the service renew their figures within this. */
const RENEWED = { timeout: 75_000, interval: 500 };

interface Ticker {
  readonly coin: string;
  readonly mark: number;
  readonly change24hPct: number | null;
  readonly volume24hUsd: number | null;
}

describe.runIf(chromiumPath)('the overview', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await Desk.open();
  }, 90_000);
  afterEach(() => desk.leave());
  afterAll(() => desk.close());

  const rowOf = async (page: Page, table: string, row: string): Promise<readonly string[]> =>
    (
      await page
        .getByRole('table', { name: table })
        .getByRole('row')
        .filter({ hasText: row })
        .first()
        .getByRole('cell')
        .allInnerTexts()
    ).map((text) => text.trim());

  it('shows what the service answers', async () => {
    const { page, conduct } = await desk.visit('/');
    await vi.waitFor(async () => {
      const { data } = await desk.json<{ data: readonly Ticker[] }>('/perps/tickers?coins=ETH');
      const eth = data[0] as Ticker;
      const [, mark, change, , volume] = await rowOf(page, 'Movers', 'ETH');
      expect([mark, change, volume]).toEqual([
        price(eth.mark),
        percent(eth.change24hPct),
        usd(eth.volume24hUsd),
      ]);
    }, RENEWED);
    await vi.waitFor(async () => {
      const { data } = await desk.json<{ data: { cumulativeUsdm: number } }>(
        '/onchain/etf-flows?asset=bitcoin',
      );
      const shown = await page.getByRole('region', { name: 'ETF net flow' }).innerText();
      expect(shown).toContain(usd(data.cumulativeUsdm * 1e6, { signed: true, digits: 1 }));
    }, RENEWED);
    await vi.waitFor(async () => {
      const { data } = await desk.json<{ data: readonly { question: string }[] }>('/prediction/events');
      await page
        .getByRole('link', { name: data[0]?.question ?? '' })
        .first()
        .waitFor({ timeout: 1_000 });
    }, RENEWED);
    expect(conduct).toEqual({ errors: [], foreign: [] });
  }, 180_000);

  it('restores its state from the address, and writes it there', async () => {
    const { page } = await desk.visit('/?movers=change&per=8h&etf=ethereum&whales=250000');
    const pressed = (name: string): Promise<string | null> =>
      page.getByRole('button', { name, exact: true }).getAttribute('aria-pressed');
    await page.getByRole('table', { name: 'Movers' }).waitFor();
    expect(await Promise.all(['Losers', '8 h', 'ETH', '$250K'].map(pressed))).toEqual(Array(4).fill('true'));
    const changes = await page
      .getByRole('table', { name: 'Movers' })
      .locator('tbody td:nth-child(3)')
      .allInnerTexts();
    const values = changes.map((text) => Number(text.replace('−', '-').replace('%', '')));
    expect(values).toEqual(values.toSorted((a, b) => a - b));
    await page.getByRole('button', { name: 'Gainers' }).click();
    expect(new URL(page.url()).searchParams.get('movers')).toBe('-change');
  });

  it('tells the calls behind a panel, and they work as they stand', async () => {
    const { page } = await desk.visit('/');
    const panel = page.getByRole('region', { name: 'Funding by venue' });
    await panel.getByRole('table').waitFor();
    await panel.getByRole('button', { name: 'API' }).click();
    const text = await panel.locator('[data-snippet=curl]').first().innerText();
    const [, address = ''] = /^curl '([^']+)'$/.exec(text) ?? [];
    const answer = (await (await fetch(address)).json()) as { data: readonly { coin: string }[] };
    expect(new Set(answer.data.map(({ coin }) => coin)).size).toBe(14);
    expect(await panel.locator('[data-snippet=TypeScript]').first().innerText()).toContain(
      "client.get('/perps/funding', { coins: [",
    );
    await page.keyboard.press('Escape');
    await panel.locator('[data-snippet=curl]').first().waitFor({ state: 'detached' });
  });

  it('can be used by everybody, in the dark and in the light', async () => {
    const { page } = await desk.visit('/');
    // The past of a simulated market is laid down while it runs: the first whale may be asked for again.
    await page.getByRole('table', { name: 'Whales' }).waitFor(RENEWED);
    await page.getByRole('table', { name: 'Funding by venue' }).waitFor(RENEWED);
    expect(await desk.barriers(page)).toEqual([]);
    await page.getByRole('button', { name: 'Use the light theme' }).click();
    expect(await desk.barriers(page)).toEqual([]);
  }, 120_000);

  it('fits a phone: nothing is wider than the screen', async () => {
    const { page } = await desk.visit('/', { width: 390, height: 844 });
    await page.getByRole('table', { name: 'Movers' }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('navigation').getByRole('link', { name: 'Market' }).click();
    await page.waitForURL(`${desk.url}/m/BTC`);
  });
});

import type { AnswerOf } from '@crosstape/client';
import { candleBar } from '@crosstape/client/bars';
import type { Page } from 'playwright-core';
import { describe, expect, it, vi } from 'vitest';
import { compact, price, priceDigits } from '../packages/dashboard/src/format/numbers.ts';
import { short } from '../packages/dashboard/src/pages/market/footprint-grid.ts';
import { profileOf } from '../packages/dashboard/src/pages/market/overlays/volume-profile.ts';
import { type DashboardSession, openDashboard } from './browser.ts';
import { itLong } from './it-long.ts';
import { chromiumPath } from './market.ts';
import { barriers } from './usable.ts';

const WAIT = { timeout: 120_000, interval: 50 };

describe.runIf(chromiumPath)('indicators of several venues', () => {
  let dashboard: DashboardSession;
  openDashboard((opened) => {
    dashboard = opened;
  });

  const legend = (page: Page): Promise<string> => page.locator('[data-bars]').innerText();
  const titles = (page: Page): Promise<string> => page.getByRole('status', { name: 'Panes' }).innerText();

  it('come from the list with settings, show figures of the service in panes, and go again', async () => {
    const { page, conduct } = await dashboard.visit('/m/BTC?ind=none');
    await page.locator('[data-bars]').waitFor();
    await page.getByRole('button', { name: 'Indicators' }).click();
    for (const name of [/^CVD, spot and perps/, /^CVD by venue/, /^OI by venue/, /^Liquidations/])
      await page.getByRole('checkbox', { name }).click();
    await page.keyboard.press('Escape');
    // The pointer is where a box was, over the chart, whose legend would show the bar below it.
    await page.mouse.move(0, 0);
    expect(new URL(page.url()).searchParams.get('ind')).toBe('cvdkinds,cvdvenues,oivenues,liqsides');
    // With the next trade the legend has the values.
    await vi.waitUntil(
      async () => /CVD\s*Perps\s*[−$][^]*Liquidated\s*Longs\s*\$[^]*Shorts\s*\$/.test(await legend(page)),
      WAIT,
    );
    await vi.waitFor(async () => {
      // Throws while there is no answer.
      const rows =
        dashboard.answerTo<readonly { venue: string; oiCoin?: number }[]>(/^\/perps\/oi\?.*venues=/);
      const binance = rows.find(({ venue }) => venue === 'binance')?.oiCoin;
      expect(binance).toBeGreaterThan(0);
      expect((await legend(page)).replaceAll(/\s+/g, ' ')).toContain(`Binance ${compact(binance, 1)}`);
    }, WAIT);
    const wanted = [
      'CVD of BTC, spot and perps, $',
      'CVD of BTC by venue, $',
      'Open interest by venue, BTC',
      'Liquidations of BTC, $: longs below, shorts above',
    ];
    await vi.waitUntil(
      async () => (await titles(page)).replace(/ on (one|\d+) venues?/, '') === wanted.join('\n'),
      WAIT,
    );
    expect(await barriers(page)).toEqual([]);
    await page.getByRole('button', { name: 'Indicators' }).click();
    await page.getByRole('checkbox', { name: /^OI by venue/ }).click();
    await vi.waitUntil(async () => !(await titles(page)).includes('Open interest'), WAIT);
    expect(new URL(page.url()).searchParams.get('ind')).toBe('cvdkinds,cvdvenues,liqsides');
    // Settings are in the address too, and so in layouts.
    await page.getByRole('checkbox', { name: /^EMA/ }).click();
    await page.getByRole('button', { name: 'Another EMA' }).click();
    const second = page.getByRole('group', { name: 'Settings of EMA 50' });
    await second.getByLabel('Of').selectOption('hlc3');
    await second.getByLabel('Length').fill('9');
    await second.getByLabel('Length').press('Tab');
    await page.getByRole('group', { name: 'Settings of EMA 9' }).getByLabel('Colour').selectOption('Pink');
    expect(new URL(page.url()).searchParams.get('ind')).toBe('ema,ema_9_hlc3_c6,cvdkinds,cvdvenues,liqsides');
    expect(await barriers(page)).toEqual([]);
    await vi.waitUntil(async () => /EMA 20\s*[\d,.]+\s*EMA 9 hlc3\s*[\d,.]+/.test(await legend(page)), WAIT);
    for (const name of [/^MACD/, /^Supertrend/]) await page.getByRole('checkbox', { name }).click();
    await page.getByRole('group', { name: 'Settings of MACD 12' }).getByLabel('Slow').fill('30');
    await page.getByRole('group', { name: 'Settings of MACD 12' }).getByLabel('Slow').press('Tab');
    await vi.waitUntil(
      async () =>
        /Supertrend 10, 3\s*[\d,.]+[^]*MACD\s*Histogram\s*[−\d,.]+\s*MACD\s*[−\d,.]+/.test(
          await legend(page),
        ),
      WAIT,
    );
    expect(page.url()).toContain('supertrend,cvdkinds,cvdvenues,liqsides,macd_12_30');
    for (const name of [/^MACD/, /^Supertrend/]) await page.getByRole('checkbox', { name }).click();
    await page.getByRole('checkbox', { name: /^Compare/ }).click();
    const compared = page.getByRole('group', { name: 'Settings of Compare' });
    await compared.getByLabel('With').fill('sol');
    await compared.getByLabel('With').press('Tab');
    await vi.waitUntil(() => page.url().includes('compare_SOL'), WAIT);
    await page.keyboard.press('Escape');
    await vi.waitUntil(
      async () => /Since \d+ \w+, \d\d:\d\d\s*SOL\s*[+−]?[\d.]+%/.test(await legend(page)),
      WAIT,
    );
    await page.getByRole('button', { name: 'Indicators' }).click();
    await page.getByRole('checkbox', { name: /^Spread/ }).click();
    const spread = page.getByRole('group', { name: 'Settings of Spread' });
    await spread.getByLabel('With').fill('eth');
    await spread.getByLabel('With').press('Tab');
    await vi.waitUntil(() => page.url().includes('spread_ETH'), WAIT);
    await page.keyboard.press('Escape');
    await vi.waitUntil(async () => /Spread\s*[\d.]+/.test(await legend(page)), WAIT);
    expect(conduct).toEqual({ errors: [], foreign: [] });
  });

  itLong('of several markets together are of all their venues, and say of how many', async () => {
    const { page } = await dashboard.visit('/m/BTC?market=perp:BTC&ind=oi,funding');
    const expected =
      /^Open interest of BTC, sum of (\d) venues that report contracts\nFunding of BTC, % per hour, of \d venues, and the mean of \1 by open interest$/;
    await vi.waitUntil(async () => expected.test(await titles(page)), WAIT);
    await vi.waitFor(async () => {
      const rows = dashboard.answerTo<readonly { oiCoin?: number }[]>(/^\/perps\/oi\?.*venues=/);
      const sum = rows.reduce((total, { oiCoin = 0 }) => total + oiCoin, 0);
      expect((await legend(page)).replaceAll(/\s+/g, ' ')).toContain(
        `OI sum ${compact(sum, 1)} Funding mean`,
      );
    }, WAIT);
  });

  itLong(
    'draw the volume profile of the visible bars, and the VWAP since a bar that is clicked',
    async () => {
      const context = await dashboard.visitor();
      await context.addInitScript(`self.levels = {};
      const { fillText } = CanvasRenderingContext2D.prototype;
      CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
        const [, name, level] = /^(POC|VAH|VAL) (.+)/.exec(text) ?? [];
        if (name) self.levels[name] = level;
        return fillText.call(this, text, ...rest);
      };`);
      const page = await context.newPage();
      // All its bars are visible.
      await page.goto(`${dashboard.site}/m/BTC?ind=profile,avwap&interval=15m`);
      await page.locator('[data-bars]').waitFor();
      const barsOf = async (): Promise<readonly ReturnType<typeof candleBar>[]> => {
        const { data } = await dashboard.json<AnswerOf<'/candles'>>(
          '/candles?market=hyperliquid:BTC&interval=15m',
        );
        return data.map((row) => candleBar(row, 900_000));
      };
      await vi.waitFor(async () => {
        const { rows, step, poc, valueFrom, valueTo } = profileOf(await barsOf(), 64)!;
        const prices = [rows[poc]!.low + step / 2, rows[valueTo]!.low + step, rows[valueFrom]!.low];
        const [POC, VAH, VAL] = prices.map((value) => price(value, priceDigits(prices[0]!)));
        expect(await page.evaluate('self.levels')).toEqual({ POC, VAH, VAL });
      }, WAIT);
      const { x, y, width, height } = (await page.locator('.chart').boundingBox())!;
      await page.mouse.click(x + width * 0.5, y + height * 0.4, { button: 'right' });
      await page.getByRole('menuitem', { name: /^Anchor VWAP at/ }).click();
      await page.mouse.move(0, 0);
      const anchor = Number(new URL(page.url()).searchParams.get('anchor'));
      expect(anchor).toBeGreaterThan(0);
      await vi.waitFor(async () => {
        const since = (await barsOf()).filter(({ openTs }) => openTs >= anchor);
        const [usd, volume] = since.reduce(([a, b], bar) => [a + bar.notionalUsd, b + bar.volume] as const, [
          0, 0,
        ] as readonly [number, number]);
        expect((await legend(page)).replaceAll(/\s+/g, ' ')).toContain(`AVWAP ${price(usd / volume)}`);
      }, WAIT);
    },
  );

  itLong('say in their pane what fails, while the others continue', async () => {
    dashboard.refuse(/^\/flows\/cvd/);
    const { page } = await dashboard.visit('/m/ETH?ind=cvdvenues,oivenues');
    await page.locator('[data-bars]').waitFor();
    await vi.waitUntil(
      async () => (await titles(page)).startsWith('CVD of ETH by venue, $ · Refused by the test.'),
      WAIT,
    );
    await vi.waitUntil(async () => /OI\s*HL\s*\d/.test(await legend(page)), WAIT);
    dashboard.refuse(undefined);
    await vi.waitUntil(async () => (await titles(page)).startsWith('CVD of ETH by venue, $\n'), WAIT);
  });

  it('show the recorded depth of the order book, within the chosen distance', async () => {
    const { page } = await dashboard.visit('/m/BTC?ind=bookdepth_0.5,bookimbalance');
    await vi.waitFor(async () => {
      type Series = AnswerOf<'/orderbook/depth'>['data'];
      const { points } = dashboard.answerTo<Series>(/^\/orderbook\/depth\?.*limit=10/);
      const depth = points.at(-1)?.within.find(({ percent }) => percent === 0.5)?.bidsUsd ?? NaN;
      expect((await legend(page)).replaceAll(/\s+/g, ' ')).toContain(`Depth Bids $${compact(depth, 1)}`);
    }, WAIT);
    const where = 'of the mid, BTC on Hyperliquid';
    expect((await titles(page)).replaceAll(/recorded since .*/g, 'recorded')).toBe(
      `Book depth within 0.5% ${where}, $, recorded\nBook imbalance within 1% ${where}, recorded`,
    );
    await page.getByRole('button', { name: 'Indicators' }).click();
    const settings = page.getByRole('group', { name: 'Settings of Book depth' });
    await settings.getByLabel('Within').selectOption('2%');
    await vi.waitUntil(async () => (await titles(page)).includes('Book depth within 2%'), WAIT);
    expect(new URL(page.url()).searchParams.get('ind')).toBe('bookdepth_2,bookimbalance');
    expect(await barriers(page)).toEqual([]);
  });

  itLong(
    'paint the order book as it was seen and the footprint of bars, and say where there is none',
    async () => {
      const context = await dashboard.visitor();
      await context.addInitScript(`self.drawn = '';
      self.deltas = [];
      const { fillText } = CanvasRenderingContext2D.prototype;
      CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
        if (text.startsWith('Order book')) self.drawn = text;
        if (text.startsWith('Δ') && this.canvas.closest('.chart')) self.deltas.push(text);
        return fillText.call(this, text, ...rest);
      };`);
      const page = await context.newPage();
      await page.goto(`${dashboard.site}/m/BTC?ind=bookheat`);
      const seen = /^Order book since .+, levels ≥ \$\d+: full at \$[\d.]+[KM]?$/;
      await vi.waitUntil(async () => seen.test(await page.evaluate('self.drawn')), WAIT);
      await page.goto(`${dashboard.site}/m/BTC?ind=bookheat,footprint&market=perp:BTC`);
      await page.getByText('Order book heat map: choose one market').waitFor();
      await page.getByText('Footprint: choose one market').waitFor();
      // The footprint is inside the bars, once they are wide enough: below each is its own delta.
      await page.goto(`${dashboard.site}/m/BTC?ind=footprint`);
      await page.getByRole('button', { name: 'Zoom in' }).click();
      await page.getByRole('slider', { name: 'Time bars of BTC' }).press('End');
      await page.keyboard.press('ArrowLeft');
      await vi.waitUntil(async () => {
        const delta = /Δ\s*([−\d.]+) BTC/.exec(await legend(page))?.[1]?.replace('−', '-') ?? '';
        const sign = Number(delta) < 0 ? '−' : '+';
        const text = `Δ ${sign}${short(Math.abs(Number(delta)))}`;
        return ((await page.evaluate('self.deltas')) as readonly string[]).includes(text);
      }, WAIT);
    },
  );

  // Without a browser: packages/dashboard/src/live/hub.test.ts.
  itLong('of six charts need more than a socket may carry: there is a second one while they do', async () => {
    // Six times bars, open interest, funding and a book: the gateway allows 20 subscriptions a socket.
    const { page, conduct } = await dashboard.visit('/charts?n=6&ind=oi,funding,bookheat');
    const live = page.locator('section.panel[data-freshness=live]');
    await vi.waitUntil(async () => (await live.count()) === 6 && dashboard.openSockets === 2, WAIT);
    await page.getByRole('button', { name: '1', exact: true }).click();
    await vi.waitUntil(async () => (await live.count()) === 1 && dashboard.openSockets === 1, WAIT);
    expect(conduct).toEqual({ errors: [], foreign: [] });
  });
});

import { describe, expect, it, vi } from 'vitest';
import { type DashboardSession, openDashboard } from './browser.ts';
import { isLong } from './long.ts';
import { chromiumPath } from './market.ts';
import { expectAccessible } from './usable.ts';

const WAIT = { timeout: 60_000, interval: 300 };
const LONG_MS = 180_000;

describe.runIf(chromiumPath)('alerts', () => {
  let dashboard: DashboardSession;
  openDashboard((opened) => {
    dashboard = opened;
  });

  it(
    'fire when their condition becomes true, not when they are made or when the page is loaded again',
    async () => {
      const { page, conduct } = await dashboard.visit('/alerts?kind=price&coin=ETH&value=1');
      const log = page.getByRole('list', { name: /Alerts that fired/ });
      const isTrue = page.getByText(/now \$[\d,.]+\. True now/);
      await page.getByRole('button', { name: 'Add alert' }).click();
      await isTrue.waitFor(WAIT);
      expect(await log.count()).toBe(0);
      // As if the price had been lower when the page was left.
      await page.evaluate(`
        const rules = JSON.parse(localStorage.getItem('crosstape.alerts'));
        const of = { kind: 'indicator', side: 'above', value: -50, minutes: 0, isOn: true };
        const indicator = { text: 'ema', line: 0, title: 'EMA 20', interval: '1m', isOverlay: true };
        localStorage.setItem('crosstape.alerts', JSON.stringify([
          { ...rules[0], id: 'lower' },
          { ...of, id: 'average', subject: 'ETH', indicator },
          { ...of, id: 'unknown', subject: 'NOPE', indicator },
        ]));
        localStorage.setItem('crosstape.alert-met', '{"lower":false,"average":false}');
      `);
      await page.reload();
      await log.getByText(/ETH price above \$1/).waitFor(WAIT);
      await log.getByText(/ETH 1m close above EMA 20 by −50/).waitFor(WAIT);
      expect(await log.innerText()).toMatch(/\$1\.0000\s*\$[\d,.]+/);
      expect(await log.innerText()).toMatch(/close [\d,.]+, [+−]?[\d.]+% from EMA 20 at [\d,.]+, 1m bar of /);
      await page.getByText(/Not checked: .*NOPE/).waitFor(WAIT);
      if (isLong) await page.reload();
      await isTrue.waitFor(WAIT);
      expect(await log.getByRole('listitem').count()).toBe(2);
      await page.getByLabel('Condition').selectOption('Indicator');
      await page
        .locator('label', { hasText: /^Indicator/ })
        .locator('select')
        .selectOption('EMA');
      await page.getByLabel('Compared with').selectOption('VWAP');
      await page.getByRole('button', { name: 'Add alert' }).click();
      await page.getByText('ETH 5m EMA 20 above VWAP of the day').waitFor(WAIT);
      await page.getByRole('button', { name: 'Alertmanager' }).click();
      await page.getByText(/crosstape_mark_price_usd\{.*coin="ETH"\} >= 1/).waitFor(WAIT);
      // Its panel does not clip it.
      const isWhole = await page.getByRole('dialog').evaluate((sheet) => {
        const { left, bottom } = sheet.getBoundingClientRect();
        return sheet.contains(sheet.ownerDocument.elementFromPoint(left + 5, bottom - 5));
      });
      expect(isWhole).toBe(true);
      await expectAccessible(page);
      expect(conduct).toEqual({ errors: [], foreign: [] });
    },
    LONG_MS,
  );

  it('are made as they are entered, and only when they are added', async () => {
    const { page, conduct } = await dashboard.visit('/alerts?kind=price&coin=ETH');
    await page.getByRole('group', { name: 'Side' }).getByRole('button', { name: 'below' }).click();
    await page.getByLabel('Value').fill('100');
    expect(await page.evaluate("localStorage.getItem('crosstape.alerts')")).toBeNull();
    await page.getByLabel('Value').press('Enter');
    await page.getByText('ETH price below $100.00').waitFor(WAIT);
    expect(conduct).toEqual({ errors: [], foreign: [] });
  });

  it('have a line on the chart that is dragged to another price', async () => {
    const { page, conduct } = await dashboard.visit('/m/SOL?ind=none');
    const chart = page.locator('.chart[data-view]');
    await page.locator('[data-bars]').waitFor();
    const box = (await chart.boundingBox())!;
    const [x, middle] = [box.x + box.width * 0.4, box.y + box.height * 0.4];
    await page.mouse.click(x, middle, { button: 'right' });
    await page.getByRole('menuitem', { name: /^Alert when SOL is/ }).click();
    const ruleOf = (): Promise<{ id: string; value: number }> =>
      page.evaluate("JSON.parse(localStorage.getItem('crosstape.alerts'))[0]");
    const { id, value } = await ruleOf();
    // The line may move while the axis follows the prices: a press beside it moves the chart instead.
    await vi.waitUntil(async () => {
      for (let y = middle - 60; y < middle + 60; y += 4) {
        await page.mouse.move(x, y);
        if ((await page.locator('.over-alert').count()) === 0) continue;
        await page.mouse.down();
        await page.mouse.move(x, y + 20);
        await page.mouse.move(x, y + 50);
        await page.mouse.up();
        break;
      }
      return (await ruleOf()).value < value;
    }, WAIT);
    expect((await ruleOf()).id).toBe(id);
    expect(await page.getByRole('menu').count()).toBe(0);
    expect(conduct).toEqual({ errors: [], foreign: [] });
  });
});

import { describe, expect, it } from 'vitest';
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
      await expectAccessible(page);
      expect(conduct).toEqual({ errors: [], foreign: [] });
    },
    LONG_MS,
  );
});

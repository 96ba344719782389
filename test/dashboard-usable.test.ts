import { describe, expect, it, vi } from 'vitest';
import { pages } from '../packages/dashboard/src/router/pages.ts';
import { type DashboardSession, openDashboard } from './browser.ts';
import { isLong } from './long.ts';
import { chromiumPath } from './market.ts';
import { expectCalls, expectSteady, expectUsable, settled } from './usable.ts';

/** Pages of each kind: figures, charts, tables, forms, states. With `LONG=1`, all. */
const some = ['/', '/m/BTC', '/perps', '/flows', '/profile'];
/** With bars that are soon built. */
const paths = pages
  .map(({ href }) => href)
  .filter((href) => isLong || some.includes(href))
  .map((href) => (href.startsWith('/m/') ? `${href}?days=0.1` : href));

describe.runIf(chromiumPath)('pages of the dashboard', () => {
  let dashboard: DashboardSession;
  openDashboard((opened) => {
    dashboard = opened;
  });

  it.each(paths.map((path, turn) => ({ path, turn })))(
    '$path does not shift while it loads, shows the calls behind each panel, and is accessible',
    async ({ path, turn }) => {
      const { page, conduct } = await dashboard.visit(path);
      await settled(page);
      await expectSteady(page);
      await expectCalls(page);
      await expectUsable(page, turn);
      expect(conduct).toEqual({ errors: [], foreign: [] });
    },
  );

  const others = ['/options/ETH?expiry=all', '/data?rangeTicks=none', '/flows?coin=SOL'];
  it.each(others.slice(0, isLong ? others.length : 1))(
    '%s shows the calls behind each panel',
    async (path) => {
      const { page } = await dashboard.visit(path);
      await settled(page);
      await expectCalls(page);
    },
  );

  it('would not be called steady if something moved', async () => {
    const { page } = await dashboard.visit('/profile');
    await settled(page);
    await page.evaluate(
      "document.body.prepend(Object.assign(document.createElement('hr'), { style: 'height: 300px' }))",
    );
    await vi.waitFor(() => expect(expectSteady(page)).rejects.toThrow(), { timeout: 60_000, interval: 100 });
  });
});

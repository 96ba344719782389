import { describe, expect, it, vi } from 'vitest';
import { pages } from '../packages/dashboard/src/router/pages.ts';
import { type DashboardSession, openDashboard } from './browser.ts';
import { chromiumPath } from './market.ts';
import { expectCalls, expectSteady, expectUsable, settled } from './usable.ts';

/** With bars that are soon built. */
const paths = pages.map(({ href }) => (href.startsWith('/m/') ? `${href}?days=0.1` : href));

describe.runIf(chromiumPath)('pages of the dashboard', () => {
  let dashboard: DashboardSession;
  openDashboard((opened) => {
    dashboard = opened;
  });

  it.each(paths)(
    '%s does not shift while it loads, shows the calls behind each panel, and is accessible',
    async (path) => {
      const { page, conduct } = await dashboard.visit(path);
      await settled(page);
      await expectSteady(page);
      await expectCalls(page);
      await expectUsable(page);
      expect(conduct).toEqual({ errors: [], foreign: [] });
    },
  );

  it.each(['/options/ETH?expiry=all', '/data?rangeTicks=none', '/flows?coin=SOL'])(
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

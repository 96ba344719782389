import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@crosstape/client';
import { type Clock, seededRandom } from '@crosstape/core';
import { readSettings, type Service, startService } from '@crosstape/server';
import { type Simulator, startSimulator } from '@crosstape/simulator';
import { allPublishers } from '@crosstape/venues';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { DashboardSession } from './browser.ts';
import { chromiumPath } from './market.ts';
import { settled } from './usable.ts';

const WAIT = { timeout: 90_000, interval: 100 };
/** The window must not end while the pages are looked at. */
const LEFT_SECONDS_MIN = 4;
/** Of the minute of a window, before the pages are opened. */
const SKIPPED_MS = 40_000;
const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

describe.runIf(chromiumPath)('a visitor without a key of a service that enforces its quota', () => {
  const folder = mkdtempSync(join(tmpdir(), 'crosstape-quota-'));
  let aheadMs = 0;
  const clock: Clock = { ...systemClock, now: () => systemClock.now() + aheadMs };
  let simulator: Simulator;
  let service: Service;
  let dashboard: DashboardSession;
  beforeAll(async () => {
    simulator = await startSimulator({ port: 0, seed: 7, rate: 1, clock });
    const market = ['--upstream', 'sim', '--sim-url', simulator.url, '--sim-history-days', '0'];
    const flags = ['--port', '0', '--data', folder, ...market, '--quota', 'enforce', '--backfill', 'off'];
    const { settings } = readSettings(flags, { RECORD_MARKETS: 'primary' }, allPublishers);
    service = await startService({ settings, log: quiet, clock, random: seededRandom(1) });
    // A window begins with the first request: most of this one is over before anything else happens.
    dashboard = await DashboardSession.at(service.url);
    await fetch(`${dashboard.site}/api/v1/sources`);
    aheadMs = SKIPPED_MS;
  });
  afterAll(async () => {
    await dashboard.close();
    await service.stop();
    await simulator.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('sees every panel of two pages, and a notice when it is limited, and keeps its figures', async () => {
    const visitor = await dashboard.visitor();
    const [overview, perps] = [await visitor.newPage(), await visitor.newPage()];
    const conducts = [overview, perps].map((page) => dashboard.watch(page));
    await Promise.all([overview.goto(dashboard.site), perps.goto(`${dashboard.site}/perps`)]);
    const limited = (page: Page): Locator => page.locator('[data-freshness=limited]');
    for (const page of [overview, perps]) {
      await settled(page);
      expect(await limited(page).count()).toBe(0);
    }

    // Another client at the same address takes the rest of the minute.
    await vi.waitUntil(async () => {
      const answers = await Promise.all(
        Array.from({ length: 61 }, () => fetch(`${dashboard.site}/api/v1/sources`)),
      );
      return answers.some(({ headers }) => Number(headers.get('retry-after')) > LEFT_SECONDS_MIN);
    }, WAIT);
    await overview.getByRole('button', { name: '$1M', exact: true }).click();
    await perps.getByRole('link', { name: 'XRP', exact: true }).first().click();
    const asked = [
      overview.getByRole('region', { name: 'Whales' }),
      perps.getByRole('region', { name: /^XRP open interest/ }),
    ];
    for (const panel of asked) {
      await panel.getByText('Too many requests from your IP address').waitFor(WAIT);
      expect(await panel.getAttribute('data-freshness')).toBe('limited');
    }
    const kept = [
      overview.getByRole('table', { name: 'Movers' }),
      perps.getByRole('table', { name: 'Funding by coin and venue' }),
    ];
    for (const table of kept) expect(await table.locator('tbody tr').count()).toBeGreaterThan(5);

    for (const page of [overview, perps])
      await vi.waitUntil(async () => (await limited(page).count()) === 0, WAIT);
    for (const panel of asked) expect(await panel.getAttribute('data-freshness')).toBe('live');
    for (const conduct of conducts) expect(conduct).toEqual({ errors: [], foreign: [] });
  });
});

import { buffer } from 'node:stream/consumers';
import { describe, expect, it, vi } from 'vitest';
import { type DashboardSession, openDashboard } from './browser.ts';
import { itLong } from './it-long.ts';
import { chromiumPath } from './market.ts';
import { systemClock } from '../packages/server/src/platform/system-clock.ts';

const WAIT = { timeout: 120_000, interval: 50 };
const LONG_MS = 400_000;
/** Answers to a worker that tabs share cannot be replaced; those to a tab's own can. */
const NOTHING_SHARED = 'delete self.SharedWorker;';
/** A day is sealed 10 minutes after its end. */
const SEALED_MS = (24 * 60 + 11) * 60_000;

describe.runIf(chromiumPath)('files on the Data page', () => {
  let dashboard: DashboardSession;
  openDashboard((opened) => {
    dashboard = opened;
  });

  it(
    'are listed by day with their size and downloaded, with code for the market that is chosen',
    async () => {
      const date = new Date(systemClock.now() - SEALED_MS).toISOString().slice(0, 10);
      const key = `trades/venue=hyperliquid/symbol=BTC/date=${date}/part-0.parquet`;
      // It is made at once, or as soon as the first-run history is there.
      await vi.waitUntil(
        async () => (await fetch(`${dashboard.url}/lake/${key}`, { method: 'HEAD' })).status === 200,
        WAIT,
      );
      const isListed = async (): Promise<boolean> => {
        const { data } = await dashboard.json<{ data: { date: string }[] }>(
          '/lake/days?market=hyperliquid:BTC',
        );
        return data.some((day) => day.date === date);
      };
      await vi.waitUntil(isListed, WAIT);
      const { page, conduct } = await dashboard.visit('/data?coin=BTC');
      const panel = page.getByRole('region', { name: 'BTC files by day' });
      const row = panel.getByRole('row', { name: date });
      await row.waitFor();
      expect(await row.innerText()).toMatch(/\d [kM]?B\s+(complete|has gaps)\s/);
      expect(await panel.innerText()).toContain(
        "No archive configured: days are deleted after the store's retention.",
      );
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        row.getByRole('link', { name: 'trades', exact: true }).click(),
      ]);
      expect(download.suggestedFilename()).toBe(`hyperliquid-BTC-trades-${date}.parquet`);
      const saved = await buffer(await download.createReadStream());
      expect([saved.subarray(0, 4).toString(), saved.subarray(-4).toString()]).toEqual(['PAR1', 'PAR1']);

      const code = panel.locator('pre');
      const { host } = new URL(page.url());
      expect(await code.innerText()).toContain(`ENDPOINT '${host}', URL_STYLE 'path', USE_SSL false`);
      for (const [tool, text] of [
        ['Polars', `"aws_endpoint_url": "http://${host}"`],
        ['pandas', `lake = "http://${host}/lake"`],
        ['ClickHouse', `s3('http://${host}/lake/trades/venue=hyperliquid/symbol=BTC/*/*.parquet'`],
        ['curl', `http://${host}/lake/${key}`],
      ] as const) {
        await panel.getByRole('button', { name: tool, exact: true }).click();
        await expect.poll(() => code.innerText(), WAIT).toContain(text);
      }
      const choice = panel.getByLabel('Market of the files');
      const [other = ''] = (await choice.locator('option').allInnerTexts()).filter(
        (id) => !id.startsWith('hyperliquid:'),
      );
      if (other !== '') {
        await choice.selectOption(other);
        const [venue, symbol] = other.split(':');
        await expect.poll(() => code.innerText(), WAIT).toContain(`venue=${venue}/symbol=${symbol}/`);
      }
      expect(conduct).toEqual({ errors: [], foreign: [] });
    },
    LONG_MS,
  );

  itLong.each([
    ['ok', 'complete, archived', 'Archived. 3 files, 1.5 kB.'],
    ['failing', 'has gaps', 'Cannot write to the archive; 2 days are waiting in the store. 3 files, 1.5 kB.'],
  ])('with an archive that is %s are shown as %s', async (archive, state, text) => {
    const visitor = await dashboard.visitor();
    await visitor.addInitScript(NOTHING_SHARED);
    await visitor.route('**/api/v1/lake/days*', async (route) => {
      const { meta } = (await (await route.fetch()).json()) as { meta: object };
      const isArchived = archive === 'ok';
      const path = '/lake/trades/venue=hyperliquid/symbol=BTC/date=2026-11-09/part-0.parquet';
      const files = [{ table: 'trades', path, rows: 7, bytes: 500 }];
      const day = { date: '2026-11-09', market: 'hyperliquid:BTC', coin: 'BTC', trades: 7, bytes: 500 };
      const data = [{ ...day, complete: isArchived, archived: isArchived, files }];
      const totals = { archive, waitingDays: 2, totalFiles: 3, totalBytes: 1_500 };
      await route.fulfill({ json: { data, meta: { ...meta, ...totals } } });
    });
    const page = await visitor.newPage();
    await page.goto(`${dashboard.site}/data?coin=BTC`);
    const panel = page.getByRole('region', { name: 'BTC files by day' });
    await panel.getByText(text).waitFor();
    const row = await panel.getByRole('row', { name: '2026-11-09' }).innerText();
    expect(row.split(/\t+/).map((cell) => cell.trim())).toEqual([
      '2026-11-09',
      '7.0',
      '500 B',
      state,
      'trades',
    ]);
  });
});

import { describe, expect, it, vi } from 'vitest';
import { percent, usd } from '../packages/dashboard/src/format/numbers.ts';
import { type DashboardSession, openDashboard } from './browser.ts';
import { chromiumPath } from './market.ts';
import { expectAccessible } from './usable.ts';

const DRAWN = { timeout: 60_000, interval: 50 };
const CLEAN = { errors: [], foreign: [] };

interface History {
  readonly points: readonly {
    readonly longUsd: number;
    readonly shortUsd: number;
    readonly byVenue: Readonly<Record<string, readonly number[]>>;
  }[];
  readonly venues: readonly { readonly venue: string; readonly longUsd: number; readonly shortUsd: number }[];
}

describe.runIf(chromiumPath)('the page of perps', () => {
  let dashboard: DashboardSession;
  openDashboard((opened) => {
    dashboard = opened;
  });

  it('shows liquidations of all coins over time, of all venues and of one', async () => {
    const { page, conduct } = await dashboard.visit('/perps');
    const region = page.getByRole('region', { name: /^Liquidations of all coins/ });
    const chart = region.getByRole('slider');
    const answered = (search: RegExp): History => dashboard.answerTo<History>(search);
    const sumOf = (history: History, side: 0 | 1, venue?: string): string =>
      usd(
        history.points.reduce((sum, { longUsd, shortUsd, byVenue }) => {
          const all = venue === undefined ? [longUsd, shortUsd] : (byVenue[venue] ?? []);
          return sum + (all[side] ?? 0);
        }, 0),
      );
    await vi.waitFor(async () => {
      const history = answered(/^\/perps\/liquidations\/history\?interval=1h/);
      expect(history.points.length).toBeGreaterThan(0);
      expect(await chart.getAttribute('aria-valuetext')).toBe(
        `Sum of 7 days: Longs ${sumOf(history, 0)}, Shorts ${sumOf(history, 1)}`,
      );
    }, DRAWN);
    await region.getByRole('button', { name: '90 d' }).click();
    await vi.waitFor(async () => {
      const history = answered(/^\/perps\/liquidations\/history\?interval=1d&days=90/);
      const [largest] = history.venues;
      if (!largest) throw new Error('no venue has liquidations');
      await region.getByRole('combobox').selectOption(largest.venue);
      expect(await chart.getAttribute('aria-valuetext')).toBe(
        `Sum of 90 UTC days: Longs ${sumOf(history, 0, largest.venue)}, Shorts ${sumOf(history, 1, largest.venue)}`,
      );
      expect(new URL(page.url()).searchParams.get('liqvenue')).toBe(largest.venue);
    }, DRAWN);
    // The first bar is from before the record.
    await chart.focus();
    await page.keyboard.press('Home');
    expect(await chart.getAttribute('aria-valuetext')).toMatch(/partial: Longs \$0, Shorts \$0/);
    await expectAccessible(page);
    expect(conduct).toEqual(CLEAN);
  });

  it('shows the volume of a coin by venue, and the share of the largest', async () => {
    const { page, conduct } = await dashboard.visit('/perps?coin=ETH');
    const table = page.getByRole('table', { name: 'ETH by venue' });
    await vi.waitFor(async () => {
      const rows =
        dashboard.answerTo<
          readonly { readonly venue: string; readonly volume24hUsd: number; readonly method: string }[]
        >(/^\/perps\/volume\?coins=ETH/);
      expect(rows.length).toBe(9);
      const okx = rows.find(({ venue }) => venue === 'okx');
      expect(okx?.method).toBe('lastPrice');
      const row = table.locator('tbody tr').filter({ has: page.getByText('OKX', { exact: true }) });
      expect(await row.locator('td').allInnerTexts()).toContain(`≈${usd(okx?.volume24hUsd)}`);
      const all = rows.reduce((sum, { volume24hUsd }) => sum + volume24hUsd, 0);
      const share = (Math.max(...rows.map(({ volume24hUsd }) => volume24hUsd)) / all) * 100;
      const tile = page.getByRole('region', { name: 'ETH perpetuals' });
      expect(await tile.innerText()).toContain(
        `9 venues; Binance ${percent(share, { digits: 0, signed: false })}`,
      );
    }, DRAWN);
    expect(conduct).toEqual(CLEAN);
  });
});

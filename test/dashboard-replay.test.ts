import { Client, systemClock, type Trade } from '@crosstape/client';
import type { Page } from 'playwright-core';
import { describe, expect, it, vi } from 'vitest';
import { clockTime } from '../packages/dashboard/src/format/times.ts';
import { tradeAt } from '../packages/dashboard/src/live/tick-trades.ts';
import { addressTime } from '../packages/dashboard/src/replay/replay-time.ts';
import { type DashboardSession, openDashboard } from './browser.ts';
import { isLong } from './long.ts';
import { itLong } from './it-long.ts';
import { chromiumPath } from './market.ts';
import { barriers } from './usable.ts';

const WAIT = { timeout: 60_000, interval: 100 };
const MINUTE_MS = 60_000;
const PAST_MS = 90 * MINUTE_MS;

describe.runIf(chromiumPath)('a replay of the record', () => {
  let dashboard: DashboardSession;
  openDashboard((opened) => {
    dashboard = opened;
  });

  /** The recorded trades of two minutes. */
  const tradesFrom = async (startMs: number): Promise<readonly Trade[]> => {
    const client = new Client({ url: dashboard.url });
    const trades: Trade[] = [];
    for await (const { ticks } of client.ticks('BTC', { start: startMs, end: startMs + 2 * MINUTE_MS }))
      for (let at = 0; at < ticks.length; at += 1) trades.push(tradeAt(ticks, at));
    return trades;
  };
  const nowOf = async (page: Page): Promise<number> =>
    Date.parse((await page.getByLabel('Replay').locator('time').getAttribute('datetime')) ?? '');
  const newestRow = (page: Page): Promise<string> =>
    page.getByRole('region', { name: 'Tape' }).locator('.row').first().innerText();

  it('plays trades, candles and footprint from a moment on, and nothing after it, until it is left', async () => {
    const startMs = Math.floor((systemClock.now() - PAST_MS) / MINUTE_MS) * MINUTE_MS;
    const { page, conduct } = await dashboard.visit(`/m/BTC?replay=${addressTime(startMs)}`);
    const [before, after] = [await tradesFrom(startMs - 2 * MINUTE_MS), await tradesFrom(startMs)];
    const lastTs = before.at(-1)?.ts ?? 0;
    const nextTs = after.find(({ ts }) => ts > startMs)?.ts ?? 0;
    const rowOf = (ts: number): string => clockTime(ts, 'UTC');
    await vi.waitUntil(async () => (await newestRow(page)).startsWith(rowOf(lastTs)), WAIT);
    await page.getByText('A replay has no order books.').waitFor();
    await page.locator('section[aria-label=Footprint][data-freshness=replay]').waitFor();
    await page.locator('section[aria-label=Chart][data-freshness=replay]').waitFor();
    expect(await nowOf(page)).toBe(startMs);

    await page.keyboard.press('ArrowRight');
    await vi.waitUntil(async () => (await nowOf(page)) === nextTs, WAIT);
    await vi.waitUntil(async () => (await newestRow(page)).startsWith(rowOf(nextTs)), WAIT);
    await page.keyboard.press('Shift+ArrowRight');
    await vi.waitUntil(async () => (await nowOf(page)) === startMs + MINUTE_MS - 1, WAIT);
    await page.keyboard.press('Shift+ArrowLeft');
    await vi.waitUntil(async () => (await nowOf(page)) === startMs - 1, WAIT);
    await vi.waitUntil(async () => (await newestRow(page)).startsWith(rowOf(lastTs)), WAIT);
    expect(page.url()).toContain(`replay=${addressTime(startMs - 1)}`);

    await page.getByLabel('Speed').selectOption('100');
    await page.keyboard.press('Tab');
    await page.locator('main').focus();
    await page.keyboard.press('Space');
    await vi.waitUntil(async () => (await nowOf(page)) > startMs + 2 * MINUTE_MS, WAIT);
    expect(page.url()).toContain('speed=100');
    await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
    // What is typed into the field stays there while time passes.
    await page.getByLabel('Go to').focus();
    const [fieldText, fieldMs] = [await page.getByLabel('Go to').inputValue(), await nowOf(page)];
    await vi.waitUntil(async () => (await nowOf(page)) > fieldMs + 5_000, WAIT);
    expect(await page.getByLabel('Go to').inputValue()).toBe(fieldText);
    await page.locator('main').focus();
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
    // The address has the time once it has stood still for a second.
    await vi.waitUntil(async () => page.url().includes(`replay=${addressTime(await nowOf(page))}`), WAIT);
    const pausedMs = await nowOf(page);

    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    expect(await barriers(page)).toEqual([]);
    if (isLong) {
      await page.getByRole('button', { name: 'Use the light theme' }).click();
      expect(await barriers(page)).toEqual([]);
    }

    expect(await nowOf(page)).toBe(pausedMs);
    await page.getByRole('button', { name: 'Back to live' }).click();
    await page.locator('.asks li b').first().waitFor();
    await page.locator('section[aria-label=Chart][data-freshness=live]').waitFor();
    expect(page.url()).not.toContain('replay');
    expect(conduct).toEqual({ errors: [], foreign: [] });
  });

  itLong('says what is wrong with a time', async () => {
    const { page } = await dashboard.visit('/m/BTC?replay=yesterday');
    await page.getByText('“yesterday” is not a valid time. Example: 2026-11-17T05:00:00Z.').waitFor();
    await page.getByLabel('Go to').fill('2099-01-01T00:00:00');
    await page.getByText('No data is recorded for this time yet.').waitFor();
  });
});

import { systemClock } from '@crosstape/client';
import type { Page } from 'playwright-core';
import { describe, expect, it, vi } from 'vitest';
import { percent, price, usd } from '../packages/dashboard/src/format/numbers.ts';
import { clockTime } from '../packages/dashboard/src/format/times.ts';
import { type DashboardSession, openDashboard } from './browser.ts';
import { itLong } from './it-long.ts';
import { chromiumPath } from './market.ts';
import { callsOf, expectAccessible, expectSteady, pasted, settled } from './usable.ts';

/** What was answered is drawn a moment later. */
const DRAWN = { timeout: 60_000, interval: 50 };
/** What a page has not been answer it asks for every half minute. */
const ASKED_AGAIN = { timeout: 45_000, interval: 50 };
const HOUR_MS = 3_600_000;
const YEAR_HOURS = 8_760;

interface Ticker {
  readonly coin: string;
  readonly mark: number;
  readonly change24hPct: number | null;
  readonly volume24hUsd: number | null;
}

interface Held {
  readonly coin: string;
  readonly venue: string;
  readonly oiUsd: number;
}

interface Rate {
  readonly coin: string;
  readonly venue: string;
  readonly rate: number;
  readonly periodHours: number;
}

interface Liquidated {
  readonly long24hUsd: number;
  readonly short24hUsd: number;
}

interface Whale {
  readonly ts: number;
  readonly coin: string;
  readonly side: 'buy' | 'sell';
  readonly price: number;
  readonly notionalUsd: number;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

describe.runIf(chromiumPath)('the overview', () => {
  let dashboard: DashboardSession;
  openDashboard((opened) => {
    dashboard = opened;
  });

  const cells = async (page: Page, table: string): Promise<readonly (readonly string[])[]> =>
    page
      .getByRole('table', { name: table })
      .locator('tbody tr')
      .evaluateAll((rows) =>
        rows.map((row) => [...row.children].map(({ textContent }) => textContent?.trim() ?? '')),
      );
  const tile = (page: Page, title: RegExp): Promise<string> =>
    page.getByRole('region', { name: title }).locator('strong').innerText();

  it('shows what the service answers', async () => {
    const { page, conduct } = await dashboard.visit('/');
    await settled(page);
    await expectSteady(page);
    await vi.waitFor(async () => {
      const eth = dashboard
        .answerTo<readonly Ticker[]>(/^\/perps\/tickers$/)
        .find(({ coin }) => coin === 'ETH');
      const [, mark, change, , volume] = (await cells(page, 'Movers')).find(([coin]) => coin === 'ETH') ?? [];
      expect([mark, change, volume]).toEqual([
        price(eth?.mark),
        percent(eth?.change24hPct),
        usd(eth?.volume24hUsd),
      ]);
    }, DRAWN);
    await vi.waitFor(async () => {
      const held = dashboard.answerTo<readonly Held[]>(/^\/perps\/oi\?coins=/);
      expect(await tile(page, /^Open interest$/)).toBe(usd(sum(held.map(({ oiUsd }) => oiUsd))));
      const weights = new Map(held.map(({ coin, venue, oiUsd }) => [`${coin} ${venue}`, oiUsd]));
      const rates = dashboard.answerTo<readonly Rate[]>(/^\/perps\/funding\?coins=/);
      const weighed = rates.map(({ coin, venue, rate, periodHours }) => {
        const weight = weights.get(`${coin} ${venue}`) ?? 0;
        return { weight, yearly: (rate / periodHours) * YEAR_HOURS * weight };
      });
      const mean = sum(weighed.map(({ yearly }) => yearly)) / sum(weighed.map(({ weight }) => weight));
      expect(await tile(page, /^Funding$/)).toBe(percent(mean * 100));
      const liquidated = dashboard.answerTo<readonly Liquidated[]>(/^\/perps\/liquidations$/);
      expect(await tile(page, /^Liquidations, 24 h(, since .+)?$/)).toBe(
        usd(sum(liquidated.flatMap(({ long24hUsd, short24hUsd }) => [long24hUsd, short24hUsd]))),
      );
    }, DRAWN);
    await vi.waitFor(async () => {
      const { cumulativeUsdm } = dashboard.answerTo<{ cumulativeUsdm: number }>(/^\/onchain\/etf-flows/);
      const shown = await page.getByRole('region', { name: 'ETF net flow' }).innerText();
      expect(shown).toContain(usd(cumulativeUsdm * 1e6, { signed: true, digits: 1 }));
      const asked = dashboard.answerTo<readonly { question: string }[]>(/^\/prediction\/events/);
      const questions = (await cells(page, 'Prediction markets')).map(([question]) => question);
      expect(questions).toEqual(asked.slice(0, 9).map(({ question }) => question));
    }, DRAWN);
    const [curl = '', typescript] = await callsOf(page.getByRole('region', { name: 'Funding by venue' }));
    const answer = JSON.parse(await pasted(curl)) as { data: readonly Rate[] };
    expect(new Set(answer.data.map(({ coin }) => coin))).toEqual(
      new Set(dashboard.answerTo<readonly Rate[]>(/^\/perps\/funding\?coins=/).map(({ coin }) => coin)),
    );
    expect(typescript).toContain("client.get('/perps/funding', { coins: [");
    await expectAccessible(page);
    // On mobile there is help too, and its menu leads elsewhere.
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('button', { name: 'Help and shortcuts' }).click();
    await page.getByRole('dialog', { name: 'Help' }).getByRole('button', { name: 'Tour' }).click();
    await page.getByRole('button', { name: 'Skip' }).click();
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('navigation').getByRole('link', { name: 'Market' }).click();
    await page.waitForURL(`${dashboard.site}/m/BTC`);
    expect(conduct).toEqual({ errors: [], foreign: [] });
  });

  itLong('shows recorded whales and adds new ones', async () => {
    // The past of a simulated market is laid down while it runs, and said to begin then once all of it is there.
    await vi.waitFor(
      async () => {
        const { meta } = await dashboard.json<{ meta: { recordedSince: number } }>('/perps/whales?limit=1');
        expect(meta.recordedSince).toBeLessThan(systemClock.now() - 12 * HOUR_MS);
      },
      { timeout: 90_000, interval: 500 },
    );
    const { page } = await dashboard.visit('/?whales=250000');
    await page.getByRole('table', { name: 'Whales' }).waitFor({ timeout: 60_000 });
    await vi.waitFor(async () => {
      const shown = await cells(page, 'Whales');
      const { data } = await dashboard.json<{ data: readonly Whale[] }>(
        '/perps/whales?minUsd=250000&limit=40',
      );
      const rows = data.map(({ ts, coin, side, price: at, notionalUsd }) =>
        [clockTime(ts, 'UTC'), coin, side === 'buy' ? 'Buy' : 'Sell', price(at), usd(notionalUsd)].join(' '),
      );
      expect(shown.map((row) => row.join(' '))).toEqual(rows);
    }, ASKED_AGAIN);
  });

  itLong('restores its state from the address, and writes it there', async () => {
    const { page } = await dashboard.visit('/?movers=change&per=8h&etf=ethereum&whales=250000');
    const pressed = (name: string): Promise<string | null> =>
      page.getByRole('button', { name, exact: true }).getAttribute('aria-pressed');
    await page.getByRole('table', { name: 'Movers' }).waitFor();
    expect(await Promise.all(['Losers', '8 h', 'ETH', '$250K'].map(pressed))).toEqual(Array(4).fill('true'));
    const changes = (await cells(page, 'Movers')).map(([, , change = '']) => change);
    const values = changes.map((text) => Number(text.replace('−', '-').replace('%', '')));
    expect(values).toEqual(values.toSorted((a, b) => a - b));
    await page.getByRole('button', { name: 'Gainers' }).click();
    expect(new URL(page.url()).searchParams.get('movers')).toBe('-change');
  });
});

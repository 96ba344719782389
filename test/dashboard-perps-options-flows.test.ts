import type { Locator, Page } from 'playwright-core';
import { describe, expect, it, vi } from 'vitest';
import { bps, compact, percent, plain, usd } from '../packages/dashboard/src/format/numbers.ts';
import { expiriesOf, strikesOf } from '../packages/dashboard/src/pages/options/chain-rows.ts';
import { labelOf, readable } from '../packages/dashboard/src/pages/options/expiries.ts';
import { levelText, strikeText } from '../packages/dashboard/src/pages/options/underlyings.ts';
import { coneOf } from '../packages/dashboard/src/pages/options/volatility-cone.ts';
import { indexRank } from '../packages/dashboard/src/pages/options/volatility-history.ts';
import { type DashboardSession, openDashboard } from './browser.ts';
import { itLong } from './it-long.ts';
import { chromiumPath } from './market.ts';
import { expectAccessible } from './usable.ts';

/** What was answered is drawn a moment later; what a simulated market is still without comes within this. */
const DRAWN = { timeout: 60_000, interval: 50 };
const CLEAN = { errors: [], foreign: [] };

describe.runIf(chromiumPath)('the pages of perps, options and flows', () => {
  let dashboard: DashboardSession;
  openDashboard((opened) => {
    dashboard = opened;
  });

  const data = async <Data>(path: string): Promise<Data> => (await dashboard.json<{ data: Data }>(path)).data;
  const cellsOf = (table: Locator, row: string): Promise<readonly string[]> =>
    table
      .locator('tbody tr')
      .filter({ has: table.page().getByText(row, { exact: true }) })
      .first()
      .locator('td')
      .allInnerTexts();
  const param = (page: Page, name: string): string | null => new URL(page.url()).searchParams.get(name);
  /** What is chosen of a switch. */
  const chosen = (page: Page, group: string): Promise<string> =>
    page.getByRole('group', { name: group, exact: true }).locator('[aria-pressed=true]').innerText();

  /** Liquidated longs of all coins: reported by venues, and inferred. */
  const liquidated = (): readonly string[] => {
    const rows =
      dashboard.answerTo<readonly { measured: { longUsd: number }; inferred: { longUsd: number } }[]>(
        /^\/perps\/liquidations$/,
      );
    const sum = (kind: 'measured' | 'inferred'): number =>
      rows.reduce((total, row) => total + row[kind].longUsd, 0);
    return [usd(sum('measured')), usd(sum('inferred'))];
  };

  it('show funding, its spread, open interest and positioning as the service answers', async () => {
    const { page, conduct } = await dashboard.visit('/perps?coin=ETH');
    const table = page.getByRole('table', { name: 'Funding by coin and venue' });
    await Promise.all([
      vi.waitFor(async () => {
        interface Rate {
          coin: string;
          venue: string;
          rate: number;
          periodHours: number;
        }
        const rates = dashboard.answerTo<readonly Rate[]>(/^\/perps\/funding\?coins=/);
        const yearly = (id: string): number => {
          const found = rates.find(({ coin, venue }) => coin === 'ETH' && venue === id);
          const { rate = NaN, periodHours = NaN } = found ?? {};
          return (rate / periodHours) * 8_760 * 100;
        };
        const [, primary, , okx, binance] = await cellsOf(table, 'ETH');
        expect([primary, binance, okx]).toEqual(
          ['hyperliquid', 'binance', 'okx'].map((venue) => percent(yearly(venue), { digits: 1 })),
        );
        const spread = await page
          .getByRole('table', { name: 'Funding of one venue less that of another' })
          .locator('td[title^="Binance less OKX"]')
          .innerText();
        expect(`${spread}%`).toBe(percent(yearly('binance') - yearly('okx')));
      }, DRAWN),
      vi.waitFor(async () => {
        const all =
          dashboard.answerTo<readonly { coin: string; venue: string; oiUsd: number }[]>(
            /^\/perps\/oi\?coins=/,
          );
        const held = all.find(({ coin, venue }) => coin === 'ETH' && venue === 'binance');
        const cells = await cellsOf(page.getByRole('table', { name: 'ETH by venue' }), 'Binance');
        expect(cells).toContain(usd(held?.oiUsd));
      }, DRAWN),
      vi.waitFor(async () => {
        const views =
          dashboard.answerTo<readonly { coin: string; view: string; longFraction: number }[]>(
            /^\/perps\/positioning\?/,
          );
        const found = views.find(({ coin, view }) => coin === 'ETH' && view === 'global');
        const long = (found?.longFraction ?? NaN) * 100;
        const cells = await cellsOf(page.getByRole('table', { name: /Share that is long/ }), 'ETH');
        expect(cells[1]?.trim()).toBe(percent(long, { digits: 1, signed: false }));
      }, DRAWN),
      vi.waitFor(async () => {
        const events = dashboard.answerTo<readonly { position: string; notionalUsd: number }[]>(
          /^\/perps\/liquidations\/events\?coin=ETH&start=/,
        );
        const sum = (side: string): string =>
          usd(
            events.reduce(
              (total, { position, notionalUsd }) => total + (position === side ? notionalUsd : 0),
              0,
            ),
          );
        const chart = page.getByRole('slider', { name: /^Liquidations of ETH by hour/ });
        const text = `Sum of 48 hours: Longs ${sum('long')}, Shorts ${sum('short')}`;
        expect(await chart.getAttribute('aria-valuetext')).toBe(text);
      }, DRAWN),
    ]);
    await expectAccessible(page);
    expect(conduct).toEqual(CLEAN);
  });

  it('show gamma, skew and the chain as the service answers', async () => {
    const { page, conduct } = await dashboard.visit('/options/BTC?expiry=all&chain=-callOi');
    const chain = page.getByRole('table', { name: 'BTC chain' });
    const gamma = page.getByRole('slider', { name: /^Gamma exposure of BTC options by strike/ });
    await Promise.all([
      vi.waitFor(async () => {
        const { strikes, spot, callWall } = dashboard.answerTo<{
          spot: number;
          callWall: { strike: number };
          strikes: readonly { strike: number; callGex: number }[];
        }>(/^\/options\/gex/);
        const first = strikes.find(({ strike }) => strike >= spot * 0.8);
        await gamma.focus();
        await page.keyboard.press('Home');
        const answer = await gamma.getAttribute('aria-valuetext');
        expect(answer).toContain(
          `Strike ${plain(first?.strike, 0)}: Calls ${usd(first?.callGex, { signed: true })}`,
        );
        expect(await gamma.getAttribute('aria-label')).toContain(`Call wall ${plain(callWall.strike, 0)}`);
      }, DRAWN),
      vi.waitFor(async () => {
        const { termStructure } = dashboard.answerTo<{
          termStructure: readonly { atmIv: number; rr25: number; maxPain: number }[];
        }>(/^\/options\/skew/);
        const row = page.getByRole('table', { name: 'BTC skew by expiry' }).locator('tbody tr').first();
        const [, , atm, reversal, , maxPain] = await row.locator('td').allInnerTexts();
        const [nearest] = termStructure;
        expect([atm, reversal, maxPain]).toEqual([
          percent((nearest?.atmIv ?? NaN) * 100, { signed: false }),
          plain((nearest?.rr25 ?? NaN) * 100),
          strikeText(nearest?.maxPain ?? NaN),
        ]);
      }, DRAWN),
      vi.waitFor(async () => {
        const { points } = dashboard.answerTo<{ points: readonly { atmIv30?: number }[] }>(
          /^\/options\/history\?underlying=BTC&sinceMs=\d+$/,
        );
        const index = dashboard.answerTo<{ points: Parameters<typeof indexRank>[0] }>(
          /^\/options\/volatility-index/,
        );
        const isRecorded = points.some(({ atmIv30 }) => atmIv30 !== undefined);
        const shown = await page
          .getByRole('region', { name: 'BTC implied volatility, 30 days ahead' })
          .innerText();
        expect(shown).toContain(isRecorded ? 'at the money, 30 days' : 'DVOL; none recorded yet');
        const rank = percent(indexRank(index.points)?.rank, { digits: 0, signed: false });
        const dvol = percent((index.points.at(-1)?.close ?? NaN) * 100, { digits: 1, signed: false });
        expect(shown).toMatch(new RegExp(`DVOL now\\s*${dvol}\\s+DVOL rank, 365 d\\s*${rank}\\s`));
      }, DRAWN),
      vi.waitFor(async () => {
        const options = dashboard.answerTo<readonly { type: string; oi: number }[]>(/^\/options\/chain/);
        const most = Math.max(...options.filter(({ type }) => type === 'C').map(({ oi }) => oi));
        const [, row] = await chain.locator('tbody tr').all();
        expect((await row?.locator('td').first().innerText())?.trim()).toBe(compact(most, 1));
        expect(Number(await chain.getAttribute('aria-rowcount'))).toBeGreaterThan(options.length / 2);
      }, DRAWN),
    ]);
    // Units are written where no pointer has to rest on them.
    expect(await chain.locator('thead').innerText()).toMatch(
      /Calls OI and volume in BTC[\s\S]*Puts OI and volume in BTC/,
    );
    const skew = page.getByRole('table', { name: 'BTC skew by expiry' }).locator('thead');
    expect(await skew.innerText()).toMatch(/RR, vol pts[\s\S]*BF, vol pts[\s\S]*OI, BTC/);
    // However long it is, only what can be seen is drawn.
    expect(await chain.locator('tbody tr').count()).toBeLessThan(60);
    await expectAccessible(page);
    expect(conduct).toEqual(CLEAN);
  });

  itLong('show greeks, gamma by expiry and over spot, and the volatility cone', async () => {
    type Chain = Parameters<typeof strikesOf>[0];
    const { page, conduct } = await dashboard.visit(
      '/options/BTC?figures=greeks&expiry=all&chain=-callDelta',
    );
    const spotOf = (): number => dashboard.answerTo<{ spot: number }>(/^\/options\/gex/).spot;
    const optionsOf = (): Chain => dashboard.answerTo<Chain>(/^\/options\/chain/);
    const spoken = (name: RegExp): Promise<string | null> =>
      page.getByRole('slider', { name }).getAttribute('aria-valuetext');
    const table = page.getByRole('table', { name: 'BTC chain' });
    await vi.waitFor(async () => {
      const calls = optionsOf().filter(({ type, delta }) => type === 'C' && delta !== undefined);
      const [first] = calls.toSorted((a, b) => (b.delta ?? 0) - (a.delta ?? 0));
      const cells = await table.locator('tbody tr').nth(1).locator('td').allInnerTexts();
      expect(cells.map((text) => text.trim())[3]).toBe(plain(first?.delta, 2));
    }, DRAWN);
    expect(await table.locator('thead').innerText()).toMatch(/Θ \$\s*Vega \$\s*Γ\s*Δ[\s\S]*Δ\s*Γ/);

    const money = (value: number): string => usd(value, { signed: true });
    const sums = (rows: readonly { callGex: number; putGex: number }[]): string => {
      const [calls, puts] = [rows.map(({ callGex }) => callGex), rows.map(({ putGex }) => putGex)].map(
        (all) => all.reduce((sum, one) => sum + one, 0),
      ) as [number, number];
      return `Calls ${money(calls)}, Puts ${money(puts)}, Net ${money(calls + puts)}`;
    };
    const label = labelOf(optionsOf().find(({ oi }) => oi > 0)?.expiryMs ?? 0);
    await page.getByRole('combobox', { name: 'Expiry' }).selectOption(label);
    await vi.waitFor(async () => {
      const chosenOnes = optionsOf().filter(({ expiryMs }) => labelOf(expiryMs) === label);
      expect(await spoken(/^Gamma exposure of BTC options by strike/)).toBe(
        `All strikes: ${sums(strikesOf(chosenOnes, spotOf()))}`,
      );
    }, DRAWN);
    await page.getByRole('group', { name: 'Bars by' }).getByText('Expiry').click();
    const byExpiry = /^Gamma exposure of BTC options by expiry/;
    await vi.waitFor(async () => {
      const rows = expiriesOf(optionsOf(), spotOf());
      const own = rows.filter(({ expiryMs }) => labelOf(expiryMs) === label);
      expect(await spoken(byExpiry)).toBe(`${readable(label)}: ${sums(own)}`);
      await page.getByRole('slider', { name: byExpiry }).press('End');
      expect(await spoken(byExpiry)).toBe(
        `${readable(labelOf(rows.at(-1)?.expiryMs ?? 0))}: ${sums(rows.slice(-1))}`,
      );
      await page.getByRole('slider', { name: byExpiry }).blur();
    }, DRAWN);
    await page.getByText(/^Change of 24 h.* Changes by expiry are not recorded\.$/).waitFor();

    await vi.waitFor(async () => {
      const { profile } = dashboard.answerTo<{ profile: readonly { spot: number; gex: number }[] }>(
        /^\/options\/gex/,
      );
      const slider = page.getByRole('slider', { name: /^Gamma profile of BTC/ });
      await slider.press('Home');
      const [first] = profile;
      expect(await slider.getAttribute('aria-valuetext')).toBe(
        `Spot $${levelText(first?.spot ?? 0)}: Gamma exposure ${money(first?.gex ?? 0)}`,
      );
    }, DRAWN);
    // It needs more days than the simulated market has at first.
    const candles = dashboard.answerTo<readonly { close: number }[]>(/^\/candles\?.*interval=1d/);
    const longest = coneOf(candles.slice(0, -1).map(({ close }) => close)).at(-1);
    if (!longest) await page.getByText('Too few recorded days for BTC.').waitFor(DRAWN);
    else {
      const shown = (value: number): string => percent(value, { digits: 1, signed: false });
      expect(await spoken(/^Realised volatility of BTC/)).toContain(`Highest ${shown(longest.high)}`);
    }
    expect(conduct).toEqual(CLEAN);
  });

  it('show flows as the service answers, and as they continue', async () => {
    const { page, conduct } = await dashboard.visit('/flows?coin=ETH');
    const ladder = page.getByRole('table', { name: 'ETH on spot venues, highest price first' });
    await Promise.all([
      vi.waitFor(async () => {
        const [spread] = await data<readonly { rows: readonly { venue: string; basisBps: number }[] }[]>(
          '/flows/venue-spreads?coins=ETH',
        );
        const basis = spread?.rows.find(({ venue }) => venue === 'kraken')?.basisBps;
        expect((await cellsOf(ladder, 'Kraken USD'))[1]).toBe(bps(basis));
      }, DRAWN),
      vi.waitFor(async () => {
        const { daily } = await data<{ daily: { cumulativeUsdm: number } }>('/flows/etf?asset=ethereum');
        const shown = await page.getByRole('region', { name: 'ETH ETF proxy' }).innerText();
        expect(shown).toContain(usd(daily.cumulativeUsdm * 1e6));
      }, DRAWN),
      vi.waitFor(async () => {
        const { rows } = dashboard.answerTo<{ rows: readonly { flowPressureScore: number }[] }>(
          /^\/flows\/summary/,
        );
        const scores = await page
          .getByRole('table', { name: 'Pressure score by coin' })
          .locator('.score')
          .allInnerTexts();
        expect(scores.map((text) => text.replace('+', ''))).toEqual(
          rows.map(({ flowPressureScore }) => plain(flowPressureScore, 1)),
        );
      }, DRAWN),
    ]);
    const prints = page.getByRole('region', { name: 'ETH prints, newest first' });
    const panel = page.getByRole('region', { name: 'ETH prints: primary venue and Coinbase' });
    await panel.locator('.head span').first().waitFor();
    expect(await panel.locator('.head span').allInnerTexts()).toEqual([
      'Time',
      'Venue',
      'Taker',
      'Price, $',
      'Size, ETH',
      'Notional',
    ]);
    const [before] = await prints.locator('.row').allInnerTexts();
    await vi.waitUntil(async () => (await prints.locator('.row').first().innerText()) !== before, DRAWN);
    await expectAccessible(page);
    expect(conduct).toEqual(CLEAN);
  });

  itLong('restore their state from the address, and write it there', async () => {
    const { page } = await dashboard.visit('/perps?coin=SOL&per=8h&sort=-spread&oi=share&ratio=4h');
    await page.getByRole('table', { name: 'Funding by coin and venue' }).waitFor();
    expect(await page.getByRole('combobox', { name: 'Coin' }).inputValue()).toBe('SOL');
    const switches = ['Funding per', 'Scale', 'Period of positioning'].map((group) => chosen(page, group));
    expect(await Promise.all(switches)).toEqual(['8 h', 'Share', '4h']);
    const sorted = page.getByRole('columnheader', { name: 'Spread' });
    expect(await sorted.getAttribute('aria-sort')).toBe('descending');
    await page.getByRole('link', { name: 'XRP', exact: true }).first().click();
    expect([param(page, 'coin'), param(page, 'per')]).toEqual(['XRP', '8h']);
    await page.getByRole('region', { name: 'XRP by venue' }).waitFor();

    await page.goto(`${dashboard.site}/options/ETH?gex=oi&range=all&by=strike&chain=-putOi`);
    await page.getByRole('slider', { name: /^Open interest of ETH options/ }).waitFor();
    const shapes = ['What is shown', 'Strikes', 'Axis'].map((group) => chosen(page, group));
    expect(await Promise.all(shapes)).toEqual(['OI', 'All', 'Strike']);
    const expiries = page.getByRole('table', { name: 'ETH skew by expiry' });
    const shown = await expiries.locator('button[aria-pressed=true]').count();
    await expiries.locator('button[aria-pressed=false]').first().click();
    expect(param(page, 'smiles')?.split(',')).toHaveLength(shown + 1);

    // A page that found nothing on record yet asks again after a while only.
    await vi.waitFor(async () => {
      const past = await data<{ points: readonly object[] }>(
        '/flows/history?coin=SOL&metric=primaryMicroNetUsd5m',
      );
      expect(past.points.length).toBeGreaterThan(0);
    }, DRAWN);
    await page.goto(`${dashboard.site}/flows?coin=SOL&metric=primaryMicroNetUsd5m&span=24h`);
    await page.getByRole('slider', { name: 'Primary venue taker net, 5 min of SOL' }).waitFor();
    expect([await chosen(page, 'Coin'), await chosen(page, 'Span of the record')]).toEqual(['SOL', '24 h']);
    await page.getByRole('combobox', { name: 'Metric' }).selectOption('sourcePartial');
    expect(param(page, 'metric')).toBe('sourcePartial');
  });

  it('say what there is when an underlying is requested that has no options', async () => {
    const { page } = await dashboard.visit('/options/DOGE');
    await page.getByRole('heading', { name: 'There is no option on Deribit called DOGE' }).waitFor();
    await page.getByRole('region', { name: 'Not listed' }).getByRole('link', { name: /BTC/ }).waitFor();
  });

  itLong('read history by keyboard, and separate reported liquidations from inferred ones', async () => {
    // A simulated market is given its past while it runs.
    const points = await vi.waitFor(async () => {
      const history = await data<{ points: readonly { v: number }[] }>('/perps/oi/history?coin=BTC');
      expect(history.points.length).toBeGreaterThan(100);
      return history.points;
    }, DRAWN);
    const { page } = await dashboard.visit('/perps');
    const chart = page.getByRole('slider', { name: /^Open interest of BTC/ });
    await chart.focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    expect(await chart.getAttribute('aria-valuetext')).toContain(`${compact(points[1]?.v)} BTC`);
    await page.keyboard.press('Escape');
    expect(await chart.getAttribute('aria-valuetext')).toContain('Latest');

    const sums = page.getByRole('region', { name: 'Liquidations, 24 h' }).locator('.sums');
    await vi.waitFor(async () => {
      expect(await sums.locator('tbody td:nth-child(2)').allInnerTexts()).toEqual(liquidated());
    }, DRAWN);
  });
});

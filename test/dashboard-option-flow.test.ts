import { describe, expect, it, vi } from 'vitest';
import { percent, plain, usd } from '../packages/dashboard/src/format/numbers.ts';
import { labelOf, readable } from '../packages/dashboard/src/pages/options/expiries.ts';
import { blockShareOf } from '../packages/dashboard/src/pages/options/flow-rows.ts';
import { type DashboardSession, openDashboard } from './browser.ts';
import { chromiumPath } from './market.ts';
import { expectAccessible } from './usable.ts';

/** What was answered is drawn a moment later. */
const DRAWN = { timeout: 60_000, interval: 50 };

interface Sums {
  readonly trades: number;
  readonly boughtUsd: number;
  readonly soldUsd: number;
  readonly netUsd: number;
}

interface Sides {
  readonly calls: Sums;
  readonly puts: Sums;
}

interface Flow extends Sides {
  readonly blocks: Sides;
  readonly byExpiry: readonly (Sides & { readonly expiryMs: number })[];
}

interface Print {
  readonly expiryMs: number;
  readonly strike: number;
  readonly type: string;
  readonly side: string;
  readonly premiumUsd: number;
  readonly block?: string;
}

describe.runIf(chromiumPath)('the flow of options', () => {
  let dashboard: DashboardSession;
  openDashboard((opened) => {
    dashboard = opened;
  });

  it('is shown as the service answers, by expiry and by strike', async () => {
    const { page, conduct } = await dashboard.visit('/options/BTC');
    const panel = page.getByRole('region', { name: 'BTC flow by expiry', exact: true });
    const chart = page.getByRole('slider', { name: /^Premium of BTC options.* by expiry/ });
    const flowOf = (): Flow => dashboard.answerTo<Flow>(/^\/options\/flow/);
    await vi.waitFor(async () => {
      const flow = flowOf();
      const tiles = await panel.locator('.tile strong').allInnerTexts();
      expect([tiles[0], tiles[1], tiles[4]]).toEqual([
        usd(flow.calls.netUsd, { signed: true }),
        usd(flow.puts.netUsd, { signed: true }),
        percent((blockShareOf(flow) ?? NaN) * 100, { digits: 0, signed: false }),
      ]);
      const [first] = flow.byExpiry;
      await chart.focus();
      await page.keyboard.press('Home');
      const bought = (first?.calls.boughtUsd ?? NaN) + (first?.puts.boughtUsd ?? NaN);
      expect(await chart.getAttribute('aria-valuetext')).toContain(
        `${readable(labelOf(first?.expiryMs ?? 0))}: Bought ${usd(bought)}`,
      );
    }, DRAWN);
    await panel.getByRole('button', { name: 'Puts' }).click();
    await vi.waitFor(async () => {
      const [first] = flowOf().byExpiry;
      await chart.focus();
      await page.keyboard.press('Home');
      expect(await chart.getAttribute('aria-valuetext')).toContain(`Bought ${usd(first?.puts.boughtUsd)}`);
    }, DRAWN);
    await panel.getByRole('button', { name: 'Strike' }).click();
    await page.getByRole('slider', { name: /^Premium of BTC options.* by strike/ }).waitFor();
    expect(new URL(page.url()).search).toContain('flowBy=strike');
    expect(conduct).toEqual({ errors: [], foreign: [] });
  });

  it('has the newest prints, filtered by the address and by its switches', async () => {
    const { page, conduct } = await dashboard.visit('/options/BTC?prints=0&printsType=P', {
      width: 390,
      height: 844,
      theme: 'light',
    });
    const panel = page.getByRole('region', { name: 'BTC option prints', exact: true });
    const rows = panel.locator('tbody tr');
    const isShown = async (isOf: (print: Print) => boolean): Promise<void> => {
      await vi.waitFor(async () => {
        const prints = dashboard.answerTo<readonly Print[]>(/^\/options\/trades/);
        expect(prints.every(isOf)).toBe(true);
        const [first] = prints;
        const cells = await rows.first().locator('td').allInnerTexts();
        expect(cells[1]).toContain(
          `${readable(labelOf(first?.expiryMs ?? 0))} ${plain(first?.strike, 0)} ${first?.type ?? ''}`,
        );
        expect(cells.at(-1)?.trim()).toBe(usd(first?.premiumUsd));
      }, DRAWN);
    };
    await isShown(({ type }) => type === 'P');
    await panel.getByRole('button', { name: 'Sold' }).click();
    await isShown(({ type, side }) => type === 'P' && side === 'sell');
    await panel.getByRole('button', { name: 'Blocks' }).click();
    await isShown(({ block, side }) => block !== undefined && side === 'sell');
    expect(await panel.locator('em').first().innerText()).toBe('block');
    await expectAccessible(page);
    expect(conduct).toEqual({ errors: [], foreign: [] });
  });

  it('says so where there are none', async () => {
    const { page } = await dashboard.visit('/options/XRP?prints=1000000&printsBlocks=only&printsType=C');
    const panel = page.getByRole('region', { name: 'XRP option prints', exact: true });
    await panel.getByText('No such trades of options on XRP in the last 24 hours.').waitFor();
  });
});

import type { CDPSession, Page } from 'playwright-core';
import { describe, expect, it, vi } from 'vitest';
import { type DashboardSession, openDashboard } from './browser.ts';
import { itLong } from './it-long.ts';
import { chromiumPath } from './market.ts';

interface Point {
  readonly x: number;
  readonly y: number;
}

const WAIT = { timeout: 120_000, interval: 100 };
/** A finger that stays this long without an effect is lifted, and put down again. */
const PRESS = { timeout: 10_000, interval: 50 };

describe.runIf(chromiumPath)('the market page under fingers, 390 px wide', () => {
  let dashboard: DashboardSession;
  openDashboard((opened) => {
    dashboard = opened;
  });

  /** The chart with its bars in the middle of the screen. */
  const open = async () => {
    const { page, conduct } = await dashboard.visit('/m/BTC', { width: 390, height: 844, isTouch: true });
    const chart = page.locator('.chart[data-view]');
    await page.locator('[data-bars]').waitFor();
    await chart.waitFor();
    await chart.scrollIntoViewIfNeeded();
    await pointOf(page);
    return { page, conduct, cdp: await page.context().newCDPSession(page) };
  };
  /** A point over the bars once the chart is where it was a look before: what is above it may still grow. */
  const pointOf = async (page: Page): Promise<Point> => {
    let box: { x: number; y: number; width: number; height: number } | null = null;
    await vi.waitUntil(async () => {
      const before = JSON.stringify(box);
      box = await page.locator('.chart[data-view]').boundingBox();
      return box !== null && JSON.stringify(box) === before;
    }, WAIT);
    const { x, y, width, height } = box!;
    return { x: Math.round(x + width * 0.4), y: Math.round(y + height * 0.25) };
  };
  /** Bars after the visible ones, and visible bars: older ones may be loaded meanwhile. */
  const viewOf = async (page: Page): Promise<readonly [after: number, visible: number]> => {
    const text = await page.locator('.chart[data-view]').getAttribute('data-view');
    const [after = NaN, visible = NaN] = (text ?? '').split(' ').map(Number);
    return [after, visible];
  };
  const scrollY = (page: Page): Promise<number> => page.evaluate('scrollY');
  const touch = (cdp: CDPSession, type: 'touchStart' | 'touchMove' | 'touchEnd', points: Point[]) =>
    cdp.send('Input.dispatchTouchEvent', { type, touchPoints: points });
  /** Fingers that touch, move and are lifted without a pause: the next event does not wait for the previous one. */
  const swipe = (cdp: CDPSession, [first = [], ...moves]: readonly Point[][]) =>
    Promise.all([
      touch(cdp, 'touchStart', first),
      ...moves.map((points) => touch(cdp, 'touchMove', points)),
      touch(cdp, 'touchEnd', []),
    ]);
  /** A finger that stays until something is so, and is then lifted. */
  const press = (page: Page, cdp: CDPSession, isSo: () => Promise<boolean>) =>
    vi.waitUntil(async () => {
      await touch(cdp, 'touchStart', [await pointOf(page)]);
      try {
        return await vi.waitUntil(isSo, PRESS);
      } catch {
        return false;
      } finally {
        await touch(cdp, 'touchEnd', []);
      }
    }, WAIT);
  const steps = Array.from({ length: 11 }, (_, i) => i);

  itLong(
    'zooms with two fingers, moves with one, scrolls up and down, and reads bars under one that stays',
    async () => {
      const { page, cdp } = await open();
      const [, visible] = await viewOf(page);
      await vi.waitUntil(async () => {
        const { x, y } = await pointOf(page);
        const fingers = (apartPx: number): Point[] => [
          { x: x - apartPx, y },
          { x: x + apartPx, y },
        ];
        await swipe(
          cdp,
          steps.map((step) => fingers(30 + step * 5)),
        );
        return (await viewOf(page))[1] < visible * 0.9;
      }, WAIT);
      expect(await page.evaluate('visualViewport.scale')).toBe(1);
      const [after] = await viewOf(page);
      // On a busy machine a finger may seem to stay first, and then reads bars.
      await vi.waitUntil(async () => {
        const { x, y } = await pointOf(page);
        const before = await scrollY(page);
        await swipe(
          cdp,
          steps.map((step) => [{ x: x + step * 12, y }]),
        );
        await pointOf(page);
        const [panned] = await viewOf(page);
        return panned > after + 3 && (await scrollY(page)) === before;
      }, WAIT);
      const [panned] = await viewOf(page);
      const before = await scrollY(page);
      await vi.waitUntil(async () => {
        const { x, y } = await pointOf(page);
        await swipe(
          cdp,
          steps.map((step) => [{ x, y: y - step * 15 }]),
        );
        await pointOf(page);
        return (await scrollY(page)) > before + 50;
      }, WAIT);
      // A bar may close meanwhile, and the last swipe may still roll on.
      expect((await viewOf(page))[0]).toBeGreaterThanOrEqual(panned);
      const chart = page.locator('.chart[data-view]');
      await chart.scrollIntoViewIfNeeded();
      const spoken = (): Promise<string | null> => chart.getAttribute('aria-valuetext');
      await press(page, cdp, async () => !/^\d+ bars$/.test((await spoken()) ?? '0 bars'));
      await vi.waitUntil(async () => /^\d+ bars$/.test((await spoken()) ?? ''), WAIT);
    },
  );

  it('opens the menu under a finger that stays: an alert, and a line', async () => {
    const { page, conduct, cdp } = await open();
    const menu = page.getByRole('menu', { name: 'Chart menu' });
    for (const [item, kept] of [
      [/^Alert when BTC is/, 'crosstape.alerts'],
      // The last: a finger on a line that is drawn moves it, and opens no menu.
      [/^Draw a line at/, 'crosstape.drawings'],
    ] as const) {
      await press(page, cdp, () => menu.isVisible());
      const box = await menu.boundingBox();
      expect((box?.x ?? 0) + (box?.width ?? Infinity)).toBeLessThanOrEqual(390);
      await menu.getByRole('menuitem', { name: item }).tap();
      await menu.waitFor({ state: 'detached' });
      await vi.waitUntil(() => page.evaluate<boolean>(`localStorage.getItem('${kept}') !== null`), WAIT);
    }
    expect(conduct.errors).toEqual([]);
  });

  itLong('moves the line of an alert by its label beside the prices', async () => {
    const { page, conduct, cdp } = await open();
    const menu = page.getByRole('menu', { name: 'Chart menu' });
    await press(page, cdp, () => menu.isVisible());
    await menu.getByRole('menuitem', { name: /^Alert when BTC is/ }).tap();
    const levelOf = (): Promise<number> =>
      page.evaluate("JSON.parse(localStorage.getItem('crosstape.alerts'))[0].value");
    await vi.waitUntil(
      () => page.evaluate<boolean>("localStorage.getItem('crosstape.alerts') !== null"),
      WAIT,
    );
    const level = await levelOf();
    const before = await scrollY(page);
    await vi.waitUntil(async () => {
      const { y } = await pointOf(page);
      const { x, width } = (await page.locator('.chart[data-view]').boundingBox())!;
      const label = Math.round(x + width - 20);
      await swipe(
        cdp,
        steps.map((step) => [{ x: label, y: y + step * 6 }]),
      );
      return (await levelOf()) < level;
    }, WAIT);
    expect(await scrollY(page)).toBe(before);
    expect(conduct.errors).toEqual([]);
  });
});

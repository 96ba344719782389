import { buffer } from 'node:stream/consumers';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it, vi } from 'vitest';
import { type DashboardSession, openDashboard } from './browser.ts';
import { chromiumPath } from './market.ts';

const WAIT = { timeout: 60_000, interval: 50 };
/** Prices move a little while a picture is taken. */
const NEAR_PX = 12;

type Point = readonly [across: number, down: number];

describe.runIf(chromiumPath)('drawings', () => {
  let dashboard: DashboardSession;
  openDashboard((opened) => {
    dashboard = opened;
  });

  const listOf = (page: Page): Locator => page.getByLabel('Drawings of this market');
  const namesOf = (page: Page): Promise<string[]> => listOf(page).locator('option').allTextContents();
  const pricesIn = (name = ''): number[] =>
    (name.match(/\d[\d,]*(\.\d+)?/g) ?? []).map((text) => Number(text.replaceAll(',', '')));

  /** Clicks at points of the chart, in shares of its width and height. */
  const click = async (page: Page, ...points: readonly Point[]): Promise<void> => {
    const { x, y, width, height } = (await page.locator('.chart').boundingBox())!;
    for (const [across, down] of points) await page.mouse.click(x + width * across, y + height * down);
  };

  /** The picture of the chart, where the browser has no clipboard for pictures. */
  const pictureOf = async (page: Page): Promise<Buffer> => {
    await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
    await page.getByRole('button', { name: 'Share' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'PNG' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('ETH-time.png');
    await page.keyboard.press('Escape');
    return buffer(await download.createReadStream());
  };

  /** Whether a picture has a colour near points of the chart: one of these tokens. */
  const hasColour = (
    page: Page,
    picture: Buffer,
    points: readonly Point[],
    tokens: readonly string[],
    nearPx = NEAR_PX,
  ): Promise<readonly boolean[]> =>
    page.evaluate(`(async () => {
      const bytes = Uint8Array.from(atob('${picture.toString('base64')}'), (one) => one.charCodeAt(0));
      const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
      const chart = document.querySelector('.chart');
      const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
      const wanted = ${JSON.stringify(tokens)}.map((token) => {
        context.fillStyle = getComputedStyle(chart).getPropertyValue(token);
        context.fillRect(0, 0, 1, 1);
        return context.getImageData(0, 0, 1, 1).data;
      });
      context.drawImage(bitmap, 0, 0);
      const top = bitmap.height - chart.clientHeight;
      return ${JSON.stringify(points)}.map(([across, down]) => {
        const [x, y] = [Math.round(across * chart.clientWidth), Math.round(top + down * chart.clientHeight)];
        const size = ${2 * nearPx + 1};
        const { data } = context.getImageData(x - ${nearPx}, Math.max(top, y - ${nearPx}), size, size);
        const isLike = (at, colour) => [0, 1, 2].every((i) => Math.abs(data[at + i] - colour[i]) < 24);
        for (let at = 0; at < data.length; at += 4) if (wanted.some((one) => isLike(at, one))) return true;
        return false;
      });
    })()`);

  it('are made with the pointer, moved by keys, and in the picture of the chart', async () => {
    const { page, conduct } = await dashboard.visit('/m/ETH?interval=5m&ind=none');
    await page.locator('[data-bars]').waitFor();
    const draw = page.getByRole('button', { name: 'Draw', exact: true });
    await draw.click();
    await page.getByRole('button', { name: 'Snap to open, high, low and close' }).click();
    await page.getByRole('button', { name: 'Rectangle' }).click();
    await click(page, [0.4, 0.3], [0.6, 0.5]);
    await page.getByLabel('Colour of the drawing').selectOption('Pink');
    await page.getByLabel('Width of the drawing').selectOption('4');
    await page.getByRole('button', { name: 'Fibonacci levels' }).click();
    await click(page, [0.65, 0.3], [0.8, 0.6]);
    const made = await namesOf(page);
    expect(made).toEqual([
      '2 drawings',
      expect.stringMatching(/^Rectangle, [\d,.]+ to [\d,.]+$/),
      expect.stringMatching(/^Fibonacci levels, [\d,.]+ to [\d,.]+$/),
    ]);
    for (const name of made.slice(1)) expect(pricesIn(name)[0]).toBeGreaterThan(pricesIn(name)[1]!);

    // Out of the way of the picture.
    await page.keyboard.press('Escape');
    await draw.click();
    const picture = await pictureOf(page);
    // The upper and the left edge of the rectangle and the level of 0.5, not between.
    const edges: readonly Point[] = [
      [0.5, 0.3],
      [0.4, 0.4],
      [0.725, 0.45],
    ];
    expect(await hasColour(page, picture, edges, ['--series-6'])).toEqual([true, true, true]);
    expect(await hasColour(page, picture, [[0.5, 0.4]], ['--series-6'])).toEqual([false]);
    const states = ['--good', '--accent', '--warn', '--bad', '--text-3'];
    expect(await hasColour(page, picture, [[0.3, 0]], states, 1)).toEqual([true]);

    // Three steps of keys move both ends by the same price, and are undone together.
    await draw.click();
    await listOf(page).selectOption({ index: 1 });
    const chart = page.getByRole('slider', { name: /Time bars of ETH/ });
    for (let times = 0; times < 3; times += 1) await chart.press('ArrowUp');
    const [[high = 0, low = 0], [movedHigh = 0, movedLow = 0]] = [made[1], (await namesOf(page))[1]].map(
      pricesIn,
    ) as [number[], number[]];
    expect(movedHigh).toBeGreaterThan(high);
    expect((movedHigh - high) / (movedLow - low)).toBeCloseTo(1, 0);
    await chart.press('Control+z');
    expect(await namesOf(page)).toEqual(made);
    await chart.press('Escape');

    // A point is aimed above the close of a bar, and its price is announced.
    await page.getByRole('button', { name: 'Horizontal line' }).press('Enter');
    for (const key of ['End', 'ArrowUp', 'Shift+ArrowUp']) await chart.press(key);
    const hint = await page.getByText(/or use arrow keys and Enter\. Esc cancels\. At /).innerText();
    await chart.press('Enter');
    await vi.waitFor(async () => {
      const line = (await namesOf(page)).at(-1);
      expect(line).toMatch(/^Horizontal line, /);
      expect(hint).toContain(`At ${line?.replace('Horizontal line, ', '')}.`);
    }, WAIT);
    expect(conduct).toEqual({ errors: [], foreign: [] });
  });

  it('are made with the keyboard alone, kept for the next visit, and undone', async () => {
    const { page, conduct } = await dashboard.visit('/m/ETH?interval=5m&ind=none');
    await page.locator('[data-bars]').waitFor();
    await page.getByRole('button', { name: 'Draw' }).click();
    await page.getByRole('button', { name: 'Trend line' }).press('Enter');
    const chart = page.getByRole('slider', { name: /Time bars of ETH/ });
    await chart.focus();
    for (const key of ['End', 'ArrowLeft', 'Enter', 'ArrowLeft', 'ArrowLeft', 'Enter'])
      await page.keyboard.press(key);
    const list = listOf(page);
    expect(await namesOf(page)).toEqual([
      '1 drawing',
      expect.stringMatching(/^Trend line, [\d,.]+ to [\d,.]+$/),
    ]);
    // Its look and its lock are kept with it.
    await page.getByLabel('Colour of the drawing').selectOption('Pink');
    await page.getByLabel('Line of the drawing').selectOption('Dashed');
    await page.getByRole('button', { name: 'Lock the selected drawing' }).click();
    await page.reload();
    await page.getByRole('button', { name: 'Draw' }).click();
    await list.selectOption({ index: 1 });
    expect(await page.getByLabel('Colour of the drawing').inputValue()).toBe('6');
    expect(await page.getByLabel('Line of the drawing').inputValue()).toBe('dashed');
    await chart.press('Delete');
    expect(await list.locator('option').count()).toBe(2);
    await page.getByRole('button', { name: 'Lock the selected drawing' }).click();
    await page.getByRole('button', { name: 'Remove all drawings' }).click();
    await list.waitFor({ state: 'detached' });
    await chart.press('Control+z');
    expect(await list.locator('option').count()).toBe(2);
    await page.getByRole('button', { name: 'Note', exact: true }).press('Enter');
    await chart.focus();
    for (const key of ['End', 'Enter']) await page.keyboard.press(key);
    await page.locator('[aria-label="Text of the note"]:focus').waitFor();
    await page.keyboard.type('Retest');
    await page.keyboard.press('Enter');
    await list.locator('option', { hasText: 'Note “Retest”' }).waitFor({ state: 'attached' });
    // The chart makes way for one of the replay, with what is drawn on it.
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    await page.locator('section[aria-label=Chart][data-freshness=replay]').waitFor(WAIT);
    expect(conduct).toEqual({ errors: [], foreign: [] });
  });
});

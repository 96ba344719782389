import { systemClock } from '@crosstape/client';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { chromiumPath, Desk } from './browser.ts';

const WAIT = { timeout: 30_000, interval: 100 };
const HOUR_MS = 3_600_000;
/** A sheet of calls is as wide. */
const SHEET_PX = 520;

/** Notes every text that is drawn, and on what. */
const NOTE_TEXTS = `self.written = [];
const draw = CanvasRenderingContext2D.prototype.fillText;
CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
  self.written.push([text, this.canvas]);
  return draw.call(this, text, ...place);
};`;
/** Answers to a worker that tabs share cannot be replaced; those to a tab's own can. */
const NOTHING_SHARED = 'delete self.SharedWorker;';
/** Whether elements were there in each of the next frames: \`kept('.row')\`. */
const kept = (place: string, act: string): string => `new Promise((resolve) => {
  let [frames, least] = [0, Infinity];
  const look = () => {
    least = Math.min(least, document.querySelectorAll(${JSON.stringify(place)}).length);
    if ((frames += 1) < 30) requestAnimationFrame(look);
    else resolve(least);
  };
  ${act};
  requestAnimationFrame(look);
})`;

/** What was drawn within a place since the last look. */
const writtenOn = (page: Page, place: string): Promise<readonly string[]> =>
  page.evaluate(
    `self.written.splice(0).flatMap(([text, canvas]) => (canvas.closest(${JSON.stringify(place)}) ? [text] : []))`,
  );

describe.runIf(chromiumPath)('whoever uses the dashboard', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await Desk.open(['--sim-history-days', '0']);
  }, 90_000);
  afterEach(() => desk.leave());
  afterAll(() => desk.close());

  /** A visitor whose answers can be replaced. */
  const alone = async (): Promise<BrowserContext> => {
    const visitor = await desk.visitor();
    await visitor.addInitScript(NOTHING_SHARED);
    return visitor;
  };

  it('has the builds of all its tabs in each, told over the socket', async () => {
    const visitor = await alone();
    const asked: string[] = [];
    visitor.on('request', (request) => asked.push(new URL(request.url()).pathname));
    const tabs = [await visitor.newPage(), await visitor.newPage()];
    for (const tab of tabs) await tab.goto(`${desk.url}/data?kind=tick&trades=10`);
    const build = (tab: Page): Promise<void> =>
      tab.getByRole('button', { name: 'Build', exact: true }).click();
    const [first, second] = tabs as [Page, Page];
    await build(first);
    await first.locator('article[data-status="done"]').waitFor();
    await second.getByRole('button', { name: 'Range', exact: true }).click();
    await build(second);
    for (const tab of tabs) {
      await tab.locator('article[aria-label="BTC range bars"][data-status="done"]').waitFor();
      await tab.locator('article[aria-label="BTC tick bars"][data-status="done"]').waitFor();
    }
    expect(asked).toContain('/api/v1/coverage');
    expect(asked).not.toContain('/api/v1/perps/rotations/job');
  });
});

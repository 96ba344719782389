import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { chromiumPath, Desk } from './browser.ts';

const WAIT = { timeout: 90_000, interval: 300 };
/** The window must not end while the page is looked at. */
const LEFT_SECONDS_MIN = 25;

describe.runIf(chromiumPath)('a visitor without a key of a service that enforces its quota', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await Desk.open(['--sim-history-days', '0', '--quota', 'enforce']);
  }, 90_000);
  afterAll(() => desk.close());

  it('sees every panel, is told when it is limited, and keeps what is there', async () => {
    const { page, conduct } = await desk.visit('/');
    const limited = page.locator('[data-freshness=limited]');
    await page.getByRole('table', { name: 'Movers' }).waitFor(WAIT);
    await vi.waitUntil(async () => (await page.locator('[data-freshness=loading]').count()) === 0, WAIT);
    expect(await limited.count()).toBe(0);

    // Somebody else at the same address takes the rest of the minute.
    await vi.waitUntil(async () => {
      const answers = await Promise.all(
        Array.from({ length: 61 }, () => fetch(`${desk.url}/api/v1/sources`)),
      );
      return answers.some(({ headers }) => Number(headers.get('retry-after')) > LEFT_SECONDS_MIN);
    }, WAIT);
    await page.getByRole('button', { name: '$1M', exact: true }).click();
    const whales = page.getByRole('region', { name: 'Whales' });
    await whales.getByText('Too many requests from your address').waitFor(WAIT);
    expect(await whales.getAttribute('data-freshness')).toBe('limited');
    expect(await page.getByRole('table', { name: 'Movers' }).locator('tbody tr').count()).toBeGreaterThan(5);

    await limited.first().waitFor({ ...WAIT, state: 'detached' });
    await vi.waitUntil(async () => (await limited.count()) === 0, WAIT);
    expect(await whales.getAttribute('data-freshness')).toBe('live');
    expect(conduct).toEqual({ errors: [], foreign: [] });
  }, 240_000);
});

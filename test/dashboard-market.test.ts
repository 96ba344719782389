import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket as NodeWebSocket } from 'ws';
import { price } from '../packages/dashboard/src/format/numbers.ts';
import { chromiumPath, Desk } from './browser.ts';

const WAIT = { timeout: 60_000, interval: 200 };

describe.runIf(chromiumPath)('the market page', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await Desk.open();
  }, 90_000);
  afterEach(() => desk.leave());
  afterAll(() => desk.close());

  /** Bars on the chart, the one in progress included. */
  const barsOn = async (page: Page): Promise<number> =>
    Number(await page.locator('[data-bars]').getAttribute('data-bars', { timeout: 90_000 }));

  it('shows what the service answers, live and without a word on the console', async () => {
    const { page, conduct } = await desk.visit('/m/ETH?days=0.1');
    await vi.waitFor(async () => {
      const { data } = await desk.json<{ data: readonly { mark: number }[] }>('/perps/tickers?coins=ETH');
      const strip = await page.getByRole('region', { name: 'ETH perpetual' }).innerText();
      expect(strip).toContain(price(data[0]?.mark));
    }, WAIT);
    await page.getByRole('list', { name: 'Bids' }).waitFor();
    const [bid, ask] = await Promise.all(
      ['.bid b', '.ask:last-child b'].map(async (place) =>
        Number((await page.locator(place).first().innerText()).replace(',', '')),
      ),
    );
    expect(bid).toBeLessThan(ask as number);
    expect(await barsOn(page)).toBeGreaterThan(100);
    await page.getByRole('region', { name: 'Trades' }).locator('.row').first().waitFor();
    await page.getByRole('slider', { name: /Footprint of \d+ bars of ETH/ }).waitFor();
    expect(conduct).toEqual({ errors: [], foreign: [] });
  }, 120_000);

  it('restores its state from the address', async () => {
    const { page } = await desk.visit(
      '/m/BTC?kind=trend_reversal&trendTicks=10&revTicks=5&days=0.1&min=10000&footprint=5m',
    );
    expect(await barsOn(page)).toBeGreaterThan(10);
    expect(await page.getByLabel('With').inputValue()).toBe('10');
    expect(await page.getByLabel('Least size').inputValue()).toBe('10000');
    await page.getByRole('slider', { name: /Footprint of/ }).waitFor();
    await page.getByRole('button', { name: 'Range', exact: true }).click();
    expect(new URL(page.url()).searchParams.get('kind')).toBe('range');
    await page.getByRole('textbox', { name: 'Range' }).fill('120');
    await page.getByRole('textbox', { name: 'Range' }).press('Enter');
    expect(new URL(page.url()).searchParams.get('rangeTicks')).toBe('120');
  }, 120_000);

  it('tells the frame behind the book, and the gateway takes it', async () => {
    const { page } = await desk.visit('/m/SOL?days=0.1');
    const panel = page.getByRole('region', { name: 'Book' });
    await page.getByRole('list', { name: 'Bids' }).waitFor();
    await panel.getByRole('button', { name: 'API' }).click();
    const frame = await panel.locator('[data-snippet="Socket frame"]').innerText();
    const address = await panel.locator('[data-snippet="Address"]').innerText();
    const socket = new NodeWebSocket(address);
    const heard: { type: string; channel?: string }[] = [];
    socket.on('message', (data: Buffer) => heard.push(JSON.parse(data.toString()) as { type: string }));
    socket.on('open', () => socket.send(frame));
    await vi.waitUntil(
      () => heard.some(({ type, channel }) => type === 'data' && channel === 'orderbook'),
      WAIT,
    );
    socket.close();
  }, 120_000);

  it('can be used by everybody', async () => {
    const { page } = await desk.visit('/m/BTC?days=0.1', { theme: 'light' });
    await page.getByRole('list', { name: 'Bids' }).waitFor();
    await barsOn(page);
    expect(await desk.barriers(page)).toEqual([]);
  }, 120_000);
});

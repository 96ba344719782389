import { type AnswerOf, Client, followBook, type Trade } from '@crosstape/client';
import type { Page } from 'playwright-core';
import { describe, expect, it, vi } from 'vitest';
import { WebSocket as NodeWebSocket } from 'ws';
import {
  compact,
  inColumn,
  plain,
  price,
  priceDigits,
  size,
  usd,
} from '../packages/dashboard/src/format/numbers.ts';
import { clockTime } from '../packages/dashboard/src/format/times.ts';
import { venueShort } from '../packages/dashboard/src/format/venues.ts';
import { Tape } from '../packages/dashboard/src/pages/market/tape.ts';
import { type DashboardSession, openDashboard } from './browser.ts';
import { itLong } from './it-long.ts';
import { chromiumPath } from './market.ts';
import { expectAccessible } from './usable.ts';

const WAIT = { timeout: 60_000, interval: 200 };
/** Received data is drawn a moment later. */
const DRAWN = { timeout: 60_000, interval: 50 };
/** More than the page loads: it also has what came since. */
const TAPE_PAST_MS = 900_000;
const TAPE_ROWS = 12;
const BOOK_ROWS = 12;
const LIQUIDATIONS = 5;
const HOUR_MS = 3_600_000;

describe.runIf(chromiumPath)('the market page', () => {
  let dashboard: DashboardSession;
  let client: Client;
  openDashboard((opened) => {
    dashboard = opened;
    client = new Client({ url: dashboard.url, WebSocket: NodeWebSocket });
  });

  /** Bars on the chart, the one in progress included. */
  const barsOn = async (page: Page): Promise<number> =>
    Number(await page.locator('[data-bars]').getAttribute('data-bars', { timeout: 90_000 }));

  const settingsOf = (page: Page): Readonly<Record<string, string>> =>
    Object.fromEntries(new URL(page.url()).searchParams);

  /** A row of the book, as it is drawn. */
  const bookRows = (levels: readonly (readonly number[])[], digits: number): readonly string[] => {
    let sumUsd = 0;
    return levels.slice(0, BOOK_ROWS).map(([at = NaN, amount = NaN]) => {
      sumUsd += at * amount;
      return [plain(at, digits), inColumn(size(amount), 6), inColumn(compact(sumUsd, 1), 6)].join(' ');
    });
  };

  /** The page shows a book that every client received. */
  const expectBook = async (page: Page): Promise<void> => {
    const seen = new Set<string>();
    const ending = new AbortController();
    const follow = async (): Promise<void> => {
      for await (const { bids, asks } of followBook(client, 'ETH', ending)) {
        const digits = priceDigits(bids[0]?.[0] ?? 1);
        seen.add([...bookRows(asks, digits).toReversed(), ...bookRows(bids, digits)].join('\n'));
      }
    };
    const following = follow().catch(() => {});
    await vi.waitUntil(async () => {
      const rows = await page.locator('.asks li, .bids li').allTextContents();
      return seen.has(rows.map((row) => row.trim()).join('\n'));
    }, DRAWN);
    ending.abort();
    await following;
  };

  /** The page shows the orders that are on record. */
  const expectTape = async (page: Page): Promise<void> => {
    const list = page.getByRole('region', { name: 'Trades' }).locator('.row');
    await vi.waitUntil(async () => (await list.count()) > TAPE_ROWS, WAIT);
    // Of the newest one not all fills may have come.
    const shown = (await list.allTextContents()).slice(1, TAPE_ROWS).map((row) => row.trim());
    await vi.waitFor(async () => {
      const path = `/perps/trades/history?coin=ETH&format=json&start=${client.now() - TAPE_PAST_MS}`;
      const tape = new Tape();
      tape.add((await dashboard.json<{ data: readonly Trade[] }>(path)).data);
      const rows = tape.rows(1);
      const digits = priceDigits(rows[0]?.price ?? 1);
      const texts = rows.map(({ ts, price: at, size: coins, notionalUsd }) => {
        const figures = [inColumn(size(coins), 6), inColumn(compact(notionalUsd, 1), 6)];
        return [clockTime(ts, 'UTC'), plain(at, digits), ...figures].join(' ');
      });
      expect(texts.join('\n')).toContain(shown.join('\n'));
    }, WAIT);
  };

  /** Liquidations are among the orders of the tape, with venue and side: those of the record. */
  const expectLiquidations = async (page: Page, leastUsd: number): Promise<void> => {
    const start = Math.floor(client.now() / HOUR_MS - 2) * HOUR_MS;
    const list = page.locator('.list[aria-label="Trades"]');
    await vi.waitFor(async () => {
      // Orders reach back five minutes only: below them are liquidations. New rows do not move what is scrolled to.
      await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
      const shown = (await list.locator('.row.liquidation').allTextContents()).slice(-LIQUIDATIONS);
      const path = `/perps/liquidations/events?coin=ETH&start=${start}&limit=1000`;
      const { data } = await dashboard.json<AnswerOf<'/perps/liquidations/events'>>(path);
      const rows = data.filter(({ notionalUsd }) => notionalUsd >= leastUsd);
      const wanted = rows.map(({ ts, venue, position, inferred }) =>
        [clockTime(ts, 'UTC'), `${venueShort(venue)} ${position}${inferred ? '*' : ''}`].join(' '),
      );
      // Time, price, venue and side, value; figures are padded to the width of their column.
      const named = shown.map((row) => row.trim().replace(/^(\S+)\s+\S+\s+(.*?)\s+\S+$/, '$1 $2'));
      expect(named).not.toEqual([]);
      expect(wanted.join('\n')).toContain(named.join('\n'));
    }, DRAWN);
    await list.evaluate((element) => element.scrollTo(0, 0));
  };

  /** Out of the window the tape is not written again; scrolled into it, it has the newest trades. */
  const expectDrawnWhenVisible = async (page: Page): Promise<void> => {
    // On a phone the tape is below the window.
    await page.setViewportSize({ width: 390, height: 900 });
    const newest = page.getByRole('region', { name: 'Trades' }).locator('.row').first();
    const legend = page.locator('[data-bars]');
    let before = '';
    await vi.waitFor(async () => {
      before = await newest.innerText();
      // Changes with each trade.
      for (let changes = 0; changes < 3; changes += 1) {
        const text = await legend.innerText();
        await vi.waitUntil(async () => (await legend.innerText()) !== text, WAIT);
      }
      expect(await newest.innerText()).toBe(before);
    }, DRAWN);
    await newest.scrollIntoViewIfNeeded();
    await vi.waitUntil(async () => (await newest.innerText()) !== before, DRAWN);
  };

  /** From older bars a button leads back to the newest, whose price the axis shows meanwhile. */
  const expectWayBack = async (page: Page): Promise<void> => {
    await page.evaluate(`self.written = new Set();
      const draw = CanvasRenderingContext2D.prototype.fillText;
      CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
        self.written.add(text);
        return draw.call(this, text, ...place);
      };`);
    const chart = page.getByRole('slider', { name: 'Time bars of SOL' });
    for (let times = 0; times < 8; times += 1) await chart.press('+');
    await chart.press('Home');
    const button = page.getByRole('button', { name: 'Latest »' });
    await button.waitFor();
    await page.getByText('No older candles').waitFor();
    await page.evaluate('self.written.clear()');
    await vi.waitUntil(async () => {
      const { data } = await dashboard.json<{ data: readonly { close: number }[] }>(
        '/candles?market=hyperliquid:SOL&interval=15m',
      );
      const { close } = data.at(-1)!;
      return page.evaluate(`self.written.has(${JSON.stringify(price(close, priceDigits(close)))})`);
    }, WAIT);
    await button.click();
    await button.waitFor({ state: 'detached' });
  };

  /** The price in the middle between two others on the screen is their geometric mean. */
  const expectLogAxis = async (page: Page): Promise<void> => {
    const log = page.getByRole('button', { name: 'Log', exact: true });
    await log.click();
    expect(new URL(page.url()).searchParams.get('scale')).toBe('log');
    expect(await log.getAttribute('aria-pressed')).toBe('true');
    const { x, y, width, height } = (await page.locator('.chart').boundingBox())!;
    // Dragged down, the axis has a wider range of prices.
    await page.mouse.move(x + width - 20, y + height * 0.1);
    await page.mouse.down();
    await page.mouse.move(x + width - 20, y + height * 0.5, { steps: 4 });
    await page.mouse.up();
    const prices: number[] = [];
    for (const share of [0.1, 0.3, 0.5]) {
      await page.mouse.click(x + width * 0.4, y + height * share, { button: 'right' });
      const text = await page.getByRole('menuitem', { name: /^Draw a line at/ }).innerText();
      prices.push(Number(text.replaceAll(/[^\d.]/g, '')));
      await page.keyboard.press('Escape');
    }
    const [high = 0, middle = 0, low = 0] = prices;
    const [geometric, arithmetic] = [Math.sqrt(high * low), (high + low) / 2];
    expect(Math.abs(middle - geometric)).toBeLessThan((arithmetic - geometric) / 4);
  };

  /** A level of an indicator's pane becomes an alert. */
  const expectPaneAlert = async (page: Page): Promise<void> => {
    const { x, y, height } = (await page.locator('.chart').boundingBox())!;
    // Below the prices, of four panes of known heights.
    await page.mouse.click(x + 200, y + height * 0.66, { button: 'right' });
    await page.getByRole('menuitem', { name: /^Alert when CVD is (above|below) / }).click();
    const rules = await page.evaluate<string>("localStorage.getItem('crosstape.alerts')");
    expect(JSON.parse(rules)).toMatchObject([
      { subject: 'SOL', indicator: { text: 'cvd', interval: '15m', sinceTs: expect.any(Number) } },
    ]);
  };

  it('shows the answers of the service, live and with an empty console', async () => {
    const { page, conduct } = await dashboard.visit('/m/ETH?days=0.1');
    await vi.waitFor(async () => {
      const { data } = await dashboard.json<{ data: readonly { mark: number }[] }>(
        '/perps/tickers?coins=ETH',
      );
      const strip = await page.getByRole('region', { name: 'ETH perpetual' }).innerText();
      expect(strip).toContain(price(data[0]?.mark));
    }, DRAWN);
    await expectBook(page);
    await expectTape(page);
    expect(await barsOn(page)).toBeGreaterThan(100);
    await page.getByRole('slider', { name: /Footprint of \d+ bars of ETH/ }).waitFor();
    await expectAccessible(page);
    await expectDrawnWhenVisible(page);
    expect(conduct).toEqual({ errors: [], foreign: [] });
  });

  it('opens the coin that an address means, and names others where there is none', async () => {
    const { page } = await dashboard.visit('/m/btc?interval=5m');
    await page.waitForURL(`${dashboard.site}/m/BTC?interval=5m`);
    await barsOn(page);
    await page.goto(`${dashboard.site}/m/perp:eth?interval=15m`);
    await page.waitForURL(`${dashboard.site}/m/ETH?interval=15m&market=perp:ETH`);
    await barsOn(page);
    await page.goto(`${dashboard.site}/m/hyperliquid:eth?interval=15m`);
    await page.waitForURL(`${dashboard.site}/m/ETH?interval=15m`);
    await barsOn(page);
    await page.goto(`${dashboard.site}/m/NOPE`);
    await page.getByRole('heading', { name: 'There is no perpetual on Hyperliquid called NOPE' }).waitFor();
    expect(await page.getByRole('region', { name: 'Not listed' }).getByRole('link').count()).toBeGreaterThan(
      0,
    );
    expect(await page.getByRole('region', { name: 'Chart', exact: true }).count()).toBe(0);
    // One that the primary venue does not list is opened on a venue with a record of it.
    dashboard.refuse(/^\/perps\/tickers\?coins=XRP/, 'not_found');
    await page.goto(`${dashboard.site}/m/XRP`);
    const { data } = await dashboard.json<AnswerOf<'/markets/recorded'>>('/markets/recorded?coin=XRP');
    const ids = data.map(({ market }) => market);
    await vi.waitUntil(() => ids.some((market) => settingsOf(page).market === market), WAIT);
    expect(await barsOn(page)).toBeGreaterThan(0);
  });

  itLong("shows the figures of the chosen market's venue, and names it", async () => {
    const { page } = await dashboard.visit('/m/ETH?market=binance:ETHUSDT');
    await vi.waitFor(async () => {
      const rows = dashboard.answerTo<readonly { venue: string; oiUsd: number }[]>(
        /^\/perps\/oi\?.*venues=binance/,
      );
      expect(rows.map(({ venue }) => venue)).toEqual(['binance']);
      const strip = await page.getByRole('region', { name: 'ETH perpetual on Binance' }).innerText();
      expect(strip).toContain(usd(rows[0]?.oiUsd));
    }, DRAWN);
    await page.goto(`${dashboard.site}/m/ETH?market=coinbase-spot:ETH-USD`);
    const spot = page.getByRole('region', { name: 'ETH spot on Coinbase' });
    await spot.getByText('Volume 24 h').waitFor();
    expect(await spot.innerText()).not.toMatch(/Funding|Open interest|Mark/);
    await page.getByRole('button', { name: 'Indicators' }).click();
    await page.getByText('not drawn: spot markets have none').first().waitFor();
    // Its many switches leave the title of the chart room.
    const title = page.getByRole('heading', { name: 'Chart', exact: true });
    expect(await title.evaluate(({ scrollWidth, clientWidth }) => clientWidth - scrollWidth)).toBe(0);
    expect(await title.evaluate(({ clientWidth }) => clientWidth)).toBeGreaterThan(20);
  });

  itLong('restores its state from the address', async () => {
    const { page } = await dashboard.visit(
      '/m/BTC?kind=trend_reversal&trendTicks=10&revTicks=5&days=0.1&min=10000&footprint=5m',
    );
    expect(await barsOn(page)).toBeGreaterThan(10);
    expect(await page.getByLabel('With').inputValue()).toBe('10');
    await page.getByRole('button', { name: '≥ $10K' }).click();
    expect(await page.getByLabel('Minimum size').inputValue()).toBe('10000');
    await page.keyboard.press('Escape');
    await page.getByRole('slider', { name: /Footprint of/ }).waitFor();
    await page.getByRole('button', { name: 'Range', exact: true }).click();
    expect(new URL(page.url()).searchParams.get('kind')).toBe('range');
    await page.getByRole('textbox', { name: 'Range' }).fill('120');
    await page.getByRole('textbox', { name: 'Range' }).press('Enter');
    await page.getByLabel('Days of trades').selectOption('2 days');
    expect(settingsOf(page)).toMatchObject({ rangeTicks: '120', days: '2' });
    // Bars of the days before are still there for a moment; the new ones begin at the newest.
    const chart = page.getByRole('slider', { name: 'Range bars of BTC' });
    const oldest = page.getByText('Built from the last 2 days');
    await vi.waitUntil(async () => {
      await chart.press('Home');
      return (await oldest.count()) > 0;
    }, WAIT);
  });

  itLong('writes axes in readable sizes on dense screens, names days, and draws what is chosen', async () => {
    const context = await dashboard.visitor({ width: 1024, height: 600, scale: 2 });
    // Noted as it is drawn: the smallest text on any canvas, in pixels of the page, and the labels.
    await context.addInitScript(`self.drawn = { px: 99, texts: new Set() };
      const { fillText } = CanvasRenderingContext2D.prototype;
      CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
        const shown = this.canvas.clientWidth / this.canvas.width;
        const px = parseFloat(/[\\d.]+px/.exec(this.font)?.[0]) * this.getTransform().a * shown;
        // A canvas that only measures is not on the page.
        if (!(px > 0)) return fillText.call(this, text, ...rest);
        self.drawn.px = Math.min(self.drawn.px, px);
        self.drawn.texts.add(text);
        return fillText.call(this, text, ...rest);
      };`);
    const page = await context.newPage();
    const isDrawn = (label: string): Promise<unknown> =>
      vi.waitUntil(() => page.evaluate(`[...self.drawn.texts].some((text) => ${label}.test(text))`), WAIT);
    await page.goto(`${dashboard.site}/perps`);
    await isDrawn('/^\\d\\d:\\d\\d$/');
    expect(await page.evaluate('self.drawn.px')).toBeGreaterThanOrEqual(9);
    await page.goto(`${dashboard.site}/m/BTC?interval=1h&days=1&ind=cvd,oi,rsi,vwap`);
    await isDrawn('/^\\d\\d [A-Z][a-z]{2}$/');
    await isDrawn('/RSI 14/');
    await isDrawn('/^ Open interest, Hyperliquid, BTC/');
    expect(await page.evaluate('self.drawn.px')).toBeGreaterThanOrEqual(9);
    expect(await page.locator('[data-bars]').innerText({ timeout: 60_000 })).toMatch(/VWAP\s*[\d,.]+/);
    await page.getByRole('button', { name: 'Indicators' }).click();
    await page.getByRole('checkbox', { name: /^RSI/ }).click();
    expect(new URL(page.url()).searchParams.get('ind')).toBe('vwap,cvd,oi');
  });

  it('draws the candles of the ledger, says how complete they are, and leads to other recorded markets', async () => {
    const { page } = await dashboard.visit('/m/SOL?interval=15m');
    const shown = await barsOn(page);
    const { data } = await dashboard.json<{ data: readonly unknown[] }>(
      '/candles?market=hyperliquid:SOL&interval=15m',
    );
    expect(Math.abs(data.length - shown)).toBeLessThanOrEqual(1);
    const chart = page.getByRole('region', { name: 'Chart', exact: true });
    await chart.getByText(/\d% complete/).waitFor();
    await expectWayBack(page);
    await expectPaneAlert(page);
    await expectLogAxis(page);
    await page.getByRole('button', { name: /Hyperliquid SOL perp/ }).click();
    await page.getByRole('searchbox', { name: 'Search markets' }).fill('hyperliquid doge');
    await page.getByRole('link', { name: /Hyperliquid DOGE perp/ }).click();
    expect(new URL(page.url()).pathname).toBe('/m/DOGE');
    // With the settings of the chart that led there; so does a link without any, and the next visit.
    const settings = { interval: '15m', scale: 'log' };
    await vi.waitFor(() => expect(settingsOf(page)).toEqual(settings), WAIT);
    const tape = { liq: 'on', min: '10000' };
    await page.goto(`${dashboard.site}/m/ETH?${new URLSearchParams(tape)}`);
    await vi.waitFor(() => expect(settingsOf(page)).toEqual({ ...settings, ...tape }), WAIT);
    await expectLiquidations(page, 10_000);
    await page.getByLabel('More intervals').selectOption('30m');
    await vi.waitFor(async () => {
      const { data: halfHours } = await dashboard.json<{ data: readonly unknown[] }>(
        '/candles?market=hyperliquid:ETH&interval=30m',
      );
      expect(Math.abs(halfHours.length - (await barsOn(page)))).toBeLessThanOrEqual(1);
    }, WAIT);
    // The menu closes over the chart of the link.
    await page.getByRole('searchbox', { name: 'Search markets' }).waitFor({ state: 'detached' });
  });

  itLong(
    'has bars of seconds and of every kind for all markets of a coin together, and carries them on',
    async () => {
      const { page, conduct } = await dashboard.visit(
        '/m/BTC?market=perp:BTC&kind=tick&trades=20&days=0.1&ind=none',
      );
      const before = await barsOn(page);
      await vi.waitUntil(async () => (await barsOn(page)) > before, WAIT);
      await page.getByText(/^Last of Hyperliquid/).waitFor();
      await page.getByRole('group', { name: 'Kind of bars' }).getByText('Time', { exact: true }).click();
      await page.getByRole('group', { name: 'Interval' }).getByText('1s', { exact: true }).click();
      await page.getByRole('slider', { name: 'Time bars of BTC' }).waitFor();
      const { market, interval } = Object.fromEntries(new URL(page.url()).searchParams);
      expect([market, interval]).toEqual(['perp:BTC', '1s']);
      const seconds = await barsOn(page);
      await vi.waitUntil(async () => (await barsOn(page)) > seconds, WAIT);
      // Older ones of the primary venue, which has a day of history.
      await page.goto(`${dashboard.site}/m/BTC?interval=5s&ind=none`);
      const first = await barsOn(page);
      await page.getByRole('slider', { name: 'Time bars of BTC' }).press('Home');
      await vi.waitUntil(async () => (await barsOn(page)) > first + 1_000, WAIT);
      expect(conduct).toEqual({ errors: [], foreign: [] });
    },
  );

  itLong('shows the frame behind the book, and the gateway accepts it', async () => {
    const { page } = await dashboard.visit('/m/SOL?days=0.1');
    const panel = page.getByRole('region', { name: 'Book' });
    await page.getByRole('list', { name: 'Bids' }).waitFor();
    await panel.getByRole('button', { name: 'API' }).click();
    const frame = await panel.locator('[data-snippet="Socket frame"]').innerText();
    const address = await panel.locator('[data-snippet="Address"]').innerText();
    expect(address).toMatch(/^ws:\/\/127\.0\.0\.1:\d+\/ws\/v1$/);
    const socket = new NodeWebSocket(address);
    const received: { type: string; channel?: string }[] = [];
    socket.on('message', (data: Buffer) => received.push(JSON.parse(data.toString()) as { type: string }));
    socket.on('open', () => socket.send(frame));
    await vi.waitUntil(
      () => received.some(({ type, channel }) => type === 'data' && channel === 'orderbook'),
      WAIT,
    );
    socket.close();
  });
});

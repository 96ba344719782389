import type { Locator, Page } from 'playwright-core';
import { describe, expect, it, vi } from 'vitest';
import { day } from '../packages/dashboard/src/format/times.ts';
import { cellText } from '../packages/dashboard/src/pages/onchain/etf-days.ts';
import { cents } from '../packages/dashboard/src/pages/prediction/questions.ts';
import { perpVenues, venueName } from '../packages/dashboard/src/format/venues.ts';
import { type DashboardSession, openDashboard, savedText } from './browser.ts';
import { isLong } from './long.ts';
import { chromiumPath } from './market.ts';
import { barriers, callsOf, expectAccessible, pasted } from './usable.ts';

const SAME_MOMENT = { timeout: 120_000, interval: 500 };
const WAIT = { timeout: 60_000, interval: 300 };
const LONG_MS = 180_000;
const quiet = { errors: [], foreign: [] };

const texts = (locator: Locator): Promise<string[]> => locator.allInnerTexts();
const paramOf = (page: Page, name: string): string | null => new URL(page.url()).searchParams.get(name);

/** What the first call behind a panel answers when it is pasted. */
async function answerOf(page: Page, title: string, key = ''): Promise<unknown> {
  const [call = ''] = await callsOf(page.getByRole('region', { name: title }));
  return JSON.parse(await pasted(call.replaceAll('YOUR_KEY', key)));
}

describe.runIf(chromiumPath)('the pages of what lies beside the tape', () => {
  let dashboard: DashboardSession;
  openDashboard((opened) => {
    dashboard = opened;
  });

  it(
    'on-chain: every figure of the ETFs, treasuries and metrics is what the service answers',
    async () => {
      const { page, conduct } = await dashboard.visit('/onchain');
      const grid = page.getByRole('table', { name: /Net flow by fund and day/ });
      await grid.waitFor(WAIT);
      interface Flows {
        tickers: string[];
        rows: { dateLabel: string; total: number; partial?: true; values: Record<string, number> }[];
      }
      const { data: flows } = await dashboard.json<{ data: Flows }>('/onchain/etf-flows');
      const shown = await grid
        .locator('tbody tr')
        .evaluateAll((rows) =>
          rows.map((row) => [...row.children].map(({ textContent }) => textContent?.trim())),
        );
      expect(shown).toEqual(
        flows.rows
          .toReversed()
          .map(({ dateLabel, total, partial, values }) => [
            dateLabel + (partial ? 'partial' : ''),
            ...[total, ...flows.tickers.map((ticker) => values[ticker])].map((value) => cellText(value)),
          ]),
      );
      const companies = page.getByRole('table', { name: 'Treasuries' });
      await companies.waitFor(WAIT);
      const { data: held } = await dashboard.json<{ data: { companies: { name: string }[] } }>(
        '/onchain/treasuries',
      );
      const credit = page.getByRole('region', { name: /reasuries/ }).getByRole('link', { name: /CoinGecko/ });
      expect(await credit.first().getAttribute('href')).toBe('https://www.coingecko.com');
      const names = held.companies.map(({ name }) => name);
      expect(await texts(companies.locator('tbody b'))).toEqual(names);
      await page.getByRole('button', { name: `Show all ${names.length}` }).click();
      await page.getByRole('button', { name: 'Show fewer' }).click();
      const valuation = page.getByRole('region', { name: 'Valuation of bitcoin' });
      await valuation.locator('time').first().waitFor(WAIT);
      const { data: metrics } = await dashboard.json<{
        data: { asOfDate: string; asOfByMetric: Record<string, string> };
      }>('/onchain/valuation');
      // Dated by its oldest reading, not by the fetch.
      expect(await valuation.locator('.freshness').innerText()).toContain(
        `of ${day(Date.parse(metrics.asOfDate), 'UTC')}`,
      );
      const days = await valuation
        .locator('time')
        .evaluateAll((all) => all.map((one) => one.getAttribute('datetime')));
      expect(days.map(String).toSorted()).toEqual(Object.values(metrics.asOfByMetric).toSorted());

      await page.getByRole('button', { name: 'ETH' }).click();
      await page.getByRole('columnheader', { name: 'ETHA' }).waitFor(WAIT);
      await companies.getByRole('button', { name: 'Gain' }).click();
      if (isLong) {
        await page.reload();
        await page.getByRole('columnheader', { name: 'ETHA' }).waitFor(WAIT);
      }
      expect([paramOf(page, 'asset'), paramOf(page, 'sort')]).toEqual(['ethereum', '-gain']);
      expect(await answerOf(page, 'Spot ETF net flow')).toMatchObject({ data: { asset: 'ethereum' } });
      await expectAccessible(page);
      // On a small phone a folded table is scrolled sideways.
      await page.setViewportSize({ width: 320, height: 844 });
      await companies.hover();
      await page.mouse.wheel(150, 0);
      const folded = page.locator('.short', { has: companies });
      await vi.waitUntil(() => folded.evaluate(({ scrollLeft }) => scrollLeft > 0), WAIT);
      expect(conduct).toEqual(quiet);
    },
    LONG_MS,
  );

  it(
    'prediction: questions are found and ordered, and the book of an outcome is that of the service',
    async () => {
      const { page, conduct } = await dashboard.visit('/prediction');
      const list = page.getByRole('region', { name: 'Questions', exact: true });
      await list.waitFor(WAIT);
      await page.getByRole('searchbox').fill('ethereum january');
      await page.getByRole('button', { name: 'Volume 24 h' }).click();
      await list.getByRole('link').first().click();
      await page.getByRole('button', { name: /^No/ }).click();
      const tokenId = paramOf(page, 'token');
      if (isLong) await page.reload();
      const book = page.getByRole('table', { name: 'Order book' });
      await vi.waitFor(async () => {
        const { data } = await dashboard.json<{
          data: { bids: [number, number][]; asks: [number, number][] };
        }>(`/prediction/orderbook?tokenId=${tokenId}`);
        const prices = (levels: [number, number][]): string[] =>
          levels.slice(0, 9).map(([price]) => cents(price));
        expect(await texts(book.locator('.bid td:first-child:not(.none)'))).toEqual(prices(data.bids));
        expect(await texts(book.locator('.ask td:first-child:not(.none)'))).toEqual(
          prices(data.asks).toReversed(),
        );
      }, WAIT);
      expect([paramOf(page, 'q'), paramOf(page, 'sort')]).toEqual(['ethereum january', '-volume']);
      interface Question {
        question: string;
        title: string;
        coin: string | null;
        volume24hUsd: number;
      }
      await vi.waitFor(async () => {
        const { data } = await dashboard.json<{ data: Question[] }>('/prediction/events');
        const found = data
          .filter(({ question, title, coin }) =>
            /(?=.*ethereum)(?=.*january)/i.test(`${question} ${title} ${coin}`),
          )
          .toSorted((a, b) => b.volume24hUsd - a.volume24hUsd)
          .map(({ question }) => question);
        expect(found.length).toBeGreaterThan(2);
        const shown = await texts(list.locator('.what b'));
        expect(shown).toEqual(found.slice(0, shown.length));
      }, WAIT);
      expect(await answerOf(page, 'Order book')).toMatchObject({ data: { tokenId } });
      await expectAccessible(page);
      expect(conduct).toEqual(quiet);
    },
    LONG_MS,
  );

  it(
    'data: gaps say when and why, a build runs to its end, and files hold what the service has',
    async () => {
      const { page, conduct } = await dashboard.visit('/data?kind=tick&trades=2000');
      await page
        .getByRole('button', { name: /before the record begins/ })
        .first()
        .click();
      const gap = page.getByRole('region', { name: 'Coverage of the tape' }).locator('.gap');
      expect(await gap.innerText()).toMatch(/from[\s\S]+to[\s\S]+reason\s+before the record begins/);

      await page.getByRole('button', { name: 'Build', exact: true }).click();
      const job = page.locator('article[data-status="done"]');
      await job.waitFor(WAIT);
      if (isLong) await page.reload();
      await job.waitFor(WAIT);
      expect(await gap.innerText()).toContain('before the record begins');
      const address = await job.getByRole('link', { name: 'json' }).getAttribute('href');
      const { data: result } = (await (await fetch(dashboard.url + address)).json()) as {
        data: { bars: { index: number; close: number }[]; params: object };
      };
      expect(result.params).toEqual({ trades: 2_000 });
      const file = await savedText(page, () => job.getByRole('button', { name: 'csv' }).click());
      const [head = '', ...lines] = file.trimEnd().split('\n');
      const closeAt = head.split(',').indexOf('close');
      expect(lines.map((line) => Number(line.split(',')[closeAt]))).toEqual(
        result.bars.map(({ close }) => close),
      );
      expect(await job.innerText()).toContain(`${result.bars.length} bars`);
      const packed = await fetch(
        dashboard.url + (await job.getByRole('link', { name: 'packed' }).getAttribute('href')),
      );
      expect([...new Uint8Array(await packed.arrayBuffer()).slice(0, 2)]).toEqual([0x1f, 0x8b]);

      const days = page.getByRole('table', { name: 'Recorded trades by day' });
      const trades = await savedText(page, () => days.getByRole('button', { name: 'csv' }).first().click());
      const [names, first] = trades.split('\n');
      expect([names, first]).toEqual([
        'ts,price,size,side,sameOrder',
        expect.stringMatching(/^\d+,[\d.]+,[\d.]+,(buy|sell),/),
      ]);

      await page.getByRole('button', { name: 'Range', exact: true }).click();
      await page.getByLabel('Range, ticks').fill('none');
      await page.getByText('Range must be a whole number').waitFor();
      expect(await page.getByRole('button', { name: 'Build', exact: true }).isDisabled()).toBe(true);
      await page.getByLabel('Range, ticks').fill('77');
      expect(await answerOf(page, 'Build bars')).toMatchObject({ data: { jobId: expect.any(String) } });
      await expectAccessible(page);
      expect(conduct).toEqual(quiet);
    },
    LONG_MS,
  );

  it(
    'funding: a fee is part of the cost; the spread of any two venues over time, and when each pays next',
    async () => {
      const { page, conduct } = await dashboard.visit('/funding?coin=BTC&span=7d');
      const cost = page
        .getByRole('table', { name: 'Best pairs of venues' })
        .locator('tbody tr td:nth-child(5)');
      await cost.first().waitFor(WAIT);
      expect(await cost.first().innerText()).toBe('0.20%');
      const fee = (venue: string): Locator => page.getByRole('textbox', { name: venueName(venue) });
      for (const venue of perpVenues) await fee(venue).fill('10');
      await fee(perpVenues[0]).press('Enter');
      expect(await cost.first().innerText()).toBe('0.40%');
      await page.getByRole('button', { name: 'Explain' }).first().click();
      await page
        .getByRole('dialog', { name: /Explanation/ })
        .getByText('Net = spread')
        .waitFor(WAIT);
      await page.keyboard.press('Escape');
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Help' }).waitFor(WAIT);
      expect(await barriers(page)).toEqual([]);
      await page.keyboard.press('Escape');

      const panel = page.getByRole('region', { name: 'BTC spread over time' });
      await panel.getByRole('combobox', { name: 'Short' }).selectOption('bybit');
      await panel.getByRole('combobox', { name: 'Long' }).selectOption('hyperliquid');
      expect([paramOf(page, 'short'), paramOf(page, 'long')]).toEqual(['bybit', 'hyperliquid']);
      await panel.getByRole('slider', { name: /Funding spread of BTC/ }).waitFor(WAIT);
      await vi.waitFor(async () => {
        const text = await panel.locator('dl').innerText();
        const [, hours] = /Hours with both rates\s*(\d+) of 168/.exec(text) ?? [];
        expect(hours).toBeDefined();
        expect(text).toMatch(Number(hours) < 24 ? /Mean spread\s*–/ : /Mean spread\s*[+−-]?\d/);
        expect(text).toMatch(/Next on Bybit\s*in \d/);
        expect(text).toMatch(/Next on Hyperliquid\s*in \d/);
      }, WAIT);
      await expectAccessible(page);
      expect(conduct).toEqual(quiet);
    },
    LONG_MS,
  );

  it(
    'audit: verdicts by venue, market and hour lead from one to the next, by keyboard too',
    async () => {
      const { page, conduct } = await dashboard.visit('/audit');
      // The last hours of the simulated history are compared once it is recorded.
      const calendar = page.getByRole('table', { name: 'Verdicts by venue and day' });
      await calendar.getByRole('button').first().waitFor({ timeout: LONG_MS });
      const newest = calendar.getByRole('button', { name: /^Hyperliquid/ }).last();
      expect(await newest.getAttribute('aria-label')).toMatch(/\d+ equal$/);
      await newest.focus();
      await page.keyboard.press('Enter');
      expect(paramOf(page, 'venue')).toBe('hyperliquid');
      const hours = page.getByRole('table', { name: 'Verdicts by market and hour' });
      await hours
        .getByRole('button', { name: /^BTC, / })
        .first()
        .click();
      expect(paramOf(page, 'market')).toBe('hyperliquid:BTC');
      await hours.getByRole('rowheader').nth(1).waitFor(WAIT);
      await page.keyboard.press(
        (await hours.getByRole('rowheader').first().innerText()) === 'BTC' ? 'ArrowDown' : 'ArrowUp',
      );
      await page.keyboard.press('Enter');
      expect(paramOf(page, 'market')).not.toBe('hyperliquid:BTC');
      const figures = page.getByRole('table', { name: 'Figures of the hour' });
      await figures.waitFor(WAIT);
      const shown = await figures
        .locator('tbody tr')
        .evaluateAll((rows) => rows.map((row) => [...row.children].map(({ textContent }) => textContent)));
      expect(shown.map(([, ours, venue, difference]) => [ours === venue, difference])).toEqual(
        shown.map(() => [true, '0']),
      );
      await expectAccessible(page);
      expect(conduct).toEqual(quiet);
    },
    LONG_MS,
  );

  it(
    'profile: a key is made, shown once, used, looked up and revoked, and kept nowhere',
    async () => {
      const { page, conduct } = await dashboard.visit('/profile?snippet=TypeScript');
      await page.getByRole('button', { name: 'Create a free key' }).click();
      const key = await page.locator('[data-key]').innerText(WAIT);
      expect(key).toMatch(/^ct_free_/);
      const used = await fetch(`${dashboard.url}/api/v1/sources`, { headers: { 'X-API-Key': key } });
      expect(used.headers.get('ratelimit-policy')).toContain('q=300');
      await page.getByRole('button', { name: 'Look up' }).click();
      await page.getByRole('region', { name: 'Your key' }).getByText('300 a minute').waitFor(WAIT);
      expect(await page.getByRole('region', { name: 'first call' }).locator('pre').innerText()).toContain(
        `apiKey: '${key}'`,
      );
      await expectAccessible(page);
      const kept = await page.evaluate(
        'JSON.stringify([localStorage, sessionStorage, document.cookie, location.href])',
      );
      expect(kept).not.toContain(key);
      expect(await answerOf(page, 'Create a key')).toMatchObject({ data: { tier: 'free' } });
      expect(await answerOf(page, 'Your key', key)).toMatchObject({ data: { requestsPerMinute: 300 } });
      const [usage = ''] = await callsOf(page.getByRole('region', { name: 'first call' }));
      expect(await pasted(usage.replaceAll('YOUR_KEY', key))).toContain('"coin":"BTC"');

      await page.reload();
      expect(await page.content()).not.toContain(key);
      await page.getByLabel('Key', { exact: true }).fill(key);
      await page.getByRole('button', { name: 'Look up' }).click();
      await page.getByRole('button', { name: 'Revoke…' }).click();
      await page.getByRole('button', { name: 'Revoke permanently' }).click();
      await page.getByText(/Key \w+ has been revoked/).waitFor(WAIT);
      await page.getByLabel('Key', { exact: true }).fill(key);
      await page.getByRole('button', { name: 'Look up' }).click();
      await page.getByText('The API key is not valid.').waitFor(WAIT);
      expect(conduct.errors.filter((text) => !text.includes('401'))).toEqual([]);
      expect(conduct.foreign).toEqual([]);
    },
    LONG_MS,
  );

  it(
    'status: every source with its feeds, and how the service is',
    async () => {
      const { page, conduct } = await dashboard.visit('/status?open=hyperliquid');
      const table = page.getByRole('table', { name: 'Sources' });
      await table.waitFor(WAIT);
      interface Source {
        name: string;
        id: string;
        feeds: { source: string }[];
      }
      // Sources are added while the service works: page and answer are compared until they are of the same moment.
      await vi.waitFor(async () => {
        const { data: sources } = await dashboard.json<{ data: Source[] }>('/sources');
        expect(await texts(table.locator('.source b'))).toEqual(sources.map(({ name }) => name));
        const feeds = sources.find(({ id }) => id === 'hyperliquid')?.feeds.map(({ source }) => source);
        expect(await texts(table.locator('.feed td:first-child'))).toEqual(feeds);
      }, SAME_MOMENT);
      const service = page.getByRole('region', { name: 'Service' });
      await service.getByText('ready').waitFor(WAIT);
      const { version } = (await (await fetch(`${dashboard.url}/healthz`)).json()) as { version: string };
      expect(await service.innerText()).toContain(version);
      await expectAccessible(page);
      await page.setViewportSize({ width: 390, height: 844 });
      expect(await table.locator('tbody').first().innerText()).toMatch(
        /Reconnects \d+ · Refused \d+ · Gaps 24 h(, since \d+ \w+, [\d:]+)? [\d–]/,
      );
      await page.getByRole('button', { name: 'Failing' }).click();
      expect(paramOf(page, 'show')).toBe('troubled');
      const [call = ''] = await callsOf(service);
      expect(await pasted(call)).toContain(`"version":"${version}"`);
      expect(conduct).toEqual(quiet);
    },
    LONG_MS,
  );
});

import { type EtfFlows, ManualClock } from '@crosstape/core';
import { onchainPublishers, type Resource } from '@crosstape/venues';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../simulator.ts';
import { flowDays } from './flow-days.ts';
import { FUND_TABLES } from './funds.ts';
import { printPage } from './page.ts';

const HOUR_MS = 3_600_000;
/** A Thursday noon: all of Wednesday has been reported. */
const T0 = Date.UTC(2026, 10, 12, 12);
let simulator: Simulator;

beforeAll(async () => {
  const clock = new ManualClock(T0);
  simulator = await startSimulator({ port: 0, seed: 5, clock, sources: ['farside'] });
});

afterAll(() => simulator.close());

const resources = onchainPublishers.find(({ id }) => id === 'farside')?.connector?.resources ?? [];
/** Of a program that identifies itself. */
const agent = { 'user-agent': 'tests/1.0 (+https://tests.example)' };

type Asset = 'bitcoin' | 'ethereum';

function resourceOf(asset: Asset): Resource {
  const resource = resources.find(({ gives }) => gives[0] === `${asset}EtfFlows`);
  if (!resource) throw new Error(`no resource for ${asset}`);
  return resource;
}

function readPage(asset: Asset, page: string, nowMs: number): EtfFlows {
  const { [`${asset}EtfFlows` as const]: flows, refused } = resourceOf(asset).parse(page, nowMs, {});
  expect(refused).toEqual([]);
  return flows?.[0] as EtfFlows;
}

function readAt(asset: Asset, nowMs: number): EtfFlows {
  return readPage(asset, printPage({ seed: 5, nowMs, table: FUND_TABLES[asset] }), nowMs);
}

describe.each(['bitcoin', 'ethereum'] as const)('the page of %s', (asset) => {
  const table = FUND_TABLES[asset];

  it('prints every figure since the launch, and our reader finds each under its name', async () => {
    const { path, headers = {} } = resourceOf(asset).request;
    const page = await (
      await fetch(`${simulator.url}/farside${path}`, { headers: { ...agent, ...headers } })
    ).text();
    const flows = readPage(asset, page, T0);
    const days = flowDays({ seed: 5, table, funds: table.funds, nowMs: T0 });
    const reported = days.map(({ dayMs, tenths }) => [
      dayMs,
      Object.fromEntries(
        table.funds.flatMap(({ ticker }, i) => (tenths[i] === undefined ? [] : [[ticker, tenths[i] / 10]])),
      ),
    ]);
    expect(flows.isSinceLaunch).toBe(true);
    expect(flows.tickers).toEqual(table.funds.map(({ ticker }) => ticker));
    expect(flows.days.map(({ dayMs, flowsUsdm }) => [dayMs, flowsUsdm])).toEqual(
      reported.filter(([, figures]) => Object.keys(figures as object).length > 0),
    );
  });

  it('fills the row of a day through the evening, its total running', () => {
    const counts = Array.from({ length: 7 }, (_, turn) => {
      const day = readAt(asset, T0 + turn * 3 * HOUR_MS).days.find(({ label }) => label === '12 Nov 2026');
      return Object.keys(day?.flowsUsdm ?? {}).length;
    });
    expect(counts[0]).toBe(0);
    expect(counts.at(-1)).toBe(table.funds.length);
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    expect(new Set(counts).size).toBeGreaterThan(3);
  });

  it('has no column for a fund before its first day', () => {
    const nowMs = Date.UTC(2025, 5, 2, 12);
    const tickers = table.funds.filter(({ sinceMs }) => sinceMs <= nowMs).map(({ ticker }) => ticker);
    expect(tickers).toHaveLength(table.funds.length - 1);
    expect(readAt(asset, nowMs).tickers).toEqual(tickers);
  });
});

it('has footnotes at figures, and the date alone of a day that is not reported yet', () => {
  const nowMs = T0 + 4 * HOUR_MS;
  const page = printPage({ seed: 5, nowMs, table: FUND_TABLES.bitcoin });
  expect(page).toContain('<tr><td><span class="tabletext">12 Nov 2026</span></td></tr>');
  const { notes = [], refused } = resourceOf('bitcoin').parse(page, nowMs, {});
  expect(refused).toEqual([]);
  const noted = page.match(/\d(<\/span>|\))*\*</g) ?? [];
  expect(noted.length).toBeGreaterThan(3);
  expect(notes).toEqual([expect.stringContaining(`Figures with a footnote: ${noted.length},`)]);
});

it('shows the last days alone on the short pages', async () => {
  const text = await (await fetch(`${simulator.url}/farside/btc/`, { headers: agent })).text();
  expect(text.match(/<tr>/g)?.length).toBe(1 + 3 + 15 + 4 + 1);
});

it('refuses requests without a descriptive User-Agent', async () => {
  const response = await fetch(`${simulator.url}/farside/eth/`, { headers: { 'user-agent': 'node' } });
  expect(response.status).toBe(403);
  expect(await response.text()).toContain('Just a moment');
});

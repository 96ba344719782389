import { assets, DAY_MS, type EtfFlows, HOUR_MS, type Treasury, valuationMetrics } from '@crosstape/core';
import { START_MS, type TestApi } from './test-api.ts';

const today = Math.floor(START_MS / DAY_MS) * DAY_MS;

/** Two complete days, and one without the report of a fund. */
export function sampleEtfFlows(coin: string): EtfFlows {
  return {
    coin,
    tickers: ['AAA', 'BBB', 'CCC'],
    days: [
      { label: 'a', dayMs: today - 2 * DAY_MS, flowsUsdm: { AAA: 10.5, BBB: -0.5 }, totalUsdm: 10 },
      { label: 'b', dayMs: today - DAY_MS, flowsUsdm: { AAA: -3.3, BBB: 0 }, totalUsdm: -3.3 },
      { label: 'c', dayMs: today, flowsUsdm: { BBB: 7.1 }, totalUsdm: 7.1 },
    ],
    isSinceLaunch: true,
  };
}

function sampleTreasury(coin: string, names: readonly string[]): Treasury {
  const company = { symbol: '', country: 'US', holdings: 2, entryValueUsd: 0, valueUsd: 200, supplyPct: 0.1 };
  return {
    coin,
    holdings: 5,
    valueUsd: 500,
    marketCapPct: 0.2,
    companies: names.map((name) => ({ ...company, name })),
  };
}

/** All data of the on-chain publishers while they are healthy. */
export function publishSampleOnchain(api: TestApi): void {
  for (const asset of assets) {
    api.table('farside', `${asset}EtfFlows`, [sampleEtfFlows(asset)], HOUR_MS);
    const pages = [sampleTreasury(asset, ['One', 'Two']), sampleTreasury(asset, ['Three'])];
    api.table('coingecko', `${asset}Treasury`, pages, HOUR_MS / 2);
  }
  for (const [i, metric] of valuationMetrics.entries()) {
    api.table('bitcoindata', metric, [{ coin: 'BTC', day: `2026-09-0${5 - i}`, value: i + 0.5 }], DAY_MS);
  }
}

import ccxt from 'ccxt';
import { describe, expect, it } from 'vitest';
import { T0, Witness } from './witness.ts';

const HOUR_MS = 3_600_000;
/** Large coins, one that goes by another name here, and one that the primary venue counts by thousands. */
const COMPARED = ['PF_XBTUSD', 'PF_ETHUSD', 'PF_SOLUSD', 'PF_PEPEUSD'];

describe('ccxt on Kraken Futures', () => {
  const client = new ccxt.krakenfutures({ enableRateLimit: false });
  const rig = new Witness({
    venue: 'kraken',
    client,
    api: (url) => ({ public: `${url}/derivatives/api/` }),
  });
  const unified = (symbol: string): string => client.safeSymbol(symbol);

  it('lists the same contracts under the same coins, and besides stocks and the inverse one', () => {
    const swaps = Object.values(client.markets ?? {}).filter(
      (market) => market?.swap && market.active === true,
    );
    const linear = swaps.filter((market) => market?.linear && market.info.tradfi === false);
    expect(linear.map((market) => String(market?.id)).toSorted()).toEqual(
      rig.ours.instruments?.map(({ symbol }) => symbol).toSorted(),
    );
    expect(swaps.length).toBeGreaterThan(linear.length);
    for (const { symbol, coin } of rig.ours.instruments ?? [])
      expect(linear.find((market) => market?.id === symbol)?.base).toBe(coin);
  });

  it('agrees on the rate of every funding and that it is hourly; it knows no time', async () => {
    const theirs = await client.fetchFundingRates(rig.ours.funding?.map(({ symbol }) => unified(symbol)));
    expect(rig.ours.funding?.length).toBe(rig.ours.instruments?.length);
    for (const { symbol, rate, periodHours, nextFundingMs } of rig.ours.funding ?? []) {
      const row = theirs[unified(symbol)];
      expect(rate).toBeCloseTo(Number(row?.fundingRate), 14);
      expect(`${periodHours}h`).toBe(row?.interval);
      expect(nextFundingMs).toBe(T0 + HOUR_MS / 2);
    }
    expect(rig.ours.funding?.some(({ rate }) => Math.abs(rate) > 1e-6)).toBe(true);
  });

  it('agrees on the mark and index of every contract', async () => {
    const theirs = await client.fetchTickers(rig.ours.prices?.map(({ symbol }) => unified(symbol)));
    expect(rig.ours.prices?.length).toBe(rig.ours.instruments?.length);
    for (const { symbol, mark, index } of rig.ours.prices ?? []) {
      const row = theirs[unified(symbol)];
      expect([mark, index]).toEqual([row?.markPrice, row?.indexPrice]);
    }
  });

  it.each(COMPARED)('passes the raw open interest of %s through, having no call for it', async (symbol) => {
    const theirs = await client.fetchTicker(unified(symbol));
    const row = rig.ours.openInterest?.find((one) => one.symbol === symbol);
    expect(row?.coins).toBe(Number(theirs.info.openInterest));
    expect(row?.contracts).toBe(row?.coins);
    expect(row?.value).toBeCloseTo(Number(theirs.info.openInterest) * Number(theirs.markPrice), 1);
  });
});

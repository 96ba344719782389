import type { Known } from '@crosstape/venues';
import ccxt from 'ccxt';
import { describe, expect, it } from 'vitest';
import { T0, Witness } from './witness.ts';

const COMPARED = ['BTC_USDT', 'ETH_USDT', 'PEPE_USDT', 'BONK_USDT'];

describe('ccxt on Gate', () => {
  const client = new ccxt.gate({
    enableRateLimit: false,
    headers: { 'X-Gate-Size-Decimal': '1' },
    options: { fetchMarkets: { types: ['swap'] } },
  });
  const rig = new Witness({
    venue: 'gate',
    client,
    api: (url) => ({ public: { futures: `${url}/api/v4` } }),
  });
  const unified = (symbol: string): string => client.safeSymbol(symbol, undefined, '_', 'swap');

  it('lists the same contracts, with the same coins in each, and besides the stocks and metals that are not tokens', () => {
    const active = Object.values(client.markets ?? {}).filter((market) => market?.active === true);
    const crypto = active.filter(
      (market) =>
        market?.info.contract_type === '' || ['PAXG_USDT', 'XAUT_USDT'].includes(String(market?.id)),
    );
    const listed = rig.ours.instruments?.map(({ symbol }) => symbol);
    expect(new Set(crypto.map((market) => market?.id))).toEqual(new Set(listed));
    expect(active.length).toBeGreaterThan(crypto.length);
    for (const { symbol, coin, contractSize } of rig.ours.instruments ?? []) {
      const market = crypto.find((one) => one?.id === symbol);
      expect([coin, contractSize]).toEqual([market?.baseId, market?.contractSize]);
    }
  });

  it.each(COMPARED)(
    'agrees on the open interest of %s, which it reads from the statistics',
    async (symbol) => {
      const [theirs] = await client.fetchOpenInterestHistory(unified(symbol), '5m', undefined, 1);
      const row = rig.ours.openInterest?.find((one) => one.symbol === symbol);
      // A boundary of five minutes, where the venue's statistics are of this very moment.
      expect(theirs?.timestamp).toBe(T0);
      expect(row?.contracts).toBe(theirs?.openInterestAmount);
      expect(row?.value).toBeCloseTo(Number(theirs?.openInterestValue), 1);
    },
  );

  it('agrees with the count that the tickers send for both sides, which it leaves raw', async () => {
    const theirs = await client.fetchTickers(undefined, { type: 'swap', settle: 'usdt' });
    for (const { symbol, contracts } of rig.ours.openInterest ?? [])
      expect(Number(theirs[unified(symbol)]?.info.total_size)).toBe(2 * contracts);
  });

  /** ccxt's funding and prices of our contracts, in our format. */
  const theirRates = async (): Promise<Pick<Known, 'funding' | 'prices'>> => {
    const theirs = await client.fetchFundingRates();
    const rows = (rig.ours.instruments ?? []).map(({ symbol, coin }) => {
      const row = theirs[unified(symbol)];
      const periodHours = Number.parseInt(String(row?.interval), 10);
      const nextFundingMs = Number(row?.fundingTimestamp);
      return {
        funding: { coin, symbol, rate: Number(row?.fundingRate), periodHours, nextFundingMs },
        price: { coin, symbol, mark: Number(row?.markPrice), index: Number(row?.indexPrice) },
      };
    });
    return { funding: rows.map(({ funding }) => funding), prices: rows.map(({ price }) => price) };
  };

  it('agrees on the rate, period, time, mark and index of every contract', async () => {
    expect(rig.ours).toMatchObject(await theirRates());
    expect(rig.ours.funding?.length).toBeGreaterThan(30);
    expect(new Set(rig.ours.funding?.map(({ periodHours }) => periodHours))).toEqual(new Set([1, 4, 8]));
  });

  it('agrees on the period of a contract after it has changed', async () => {
    await rig.passPeriodChange();
    expect(rig.ours).toMatchObject(await theirRates());
  });
});

import ccxt from 'ccxt';
import { describe, expect, it } from 'vitest';
import { Witness } from './witness.ts';

/** Large coins, one of them in USDC too, one that is counted by thousands, and one that another venue counts so. */
const COMPARED = ['BTCUSDT', 'BTCPERP', 'ETHUSDT', '1000BONKUSDT', 'PEPEUSDT'];

describe('ccxt on Bitget', () => {
  const client = new ccxt.bitget({ enableRateLimit: false, options: { fetchMarkets: { types: ['swap'] } } });
  const rig = new Witness({ venue: 'bitget', client, api: (url) => ({ mix: url }) });
  const unified = (symbol: string): string => client.safeSymbol(symbol, undefined, undefined, 'swap');

  it('lists the same contracts, tokens of gold among them, and the stocks besides', () => {
    const active = Object.values(client.markets ?? {}).filter((market) => market?.active === true);
    const crypto = active.filter(
      (market) => market?.info.isRwa === 'NO' || ['PAXG', 'XAUT'].includes(String(market?.baseId)),
    );
    const listed = rig.ours.instruments?.map(({ symbol }) => symbol);
    expect(new Set(crypto.map((market) => market?.id))).toEqual(new Set(listed));
    expect(active.length).toBeGreaterThan(crypto.length);
    for (const { symbol, coin } of rig.ours.instruments ?? [])
      expect(crypto.find((market) => market?.id === symbol)?.baseId).toBe(coin);
  });

  it.each(COMPARED)('agrees on the open interest of %s', async (symbol) => {
    const theirs = await client.fetchOpenInterest(unified(symbol));
    const row = rig.ours.openInterest?.find((one) => one.symbol === symbol);
    expect(row?.coins).toBe(theirs.openInterestAmount);
    expect(row?.contracts).toBe(row?.coins);
  });

  /** ccxt's funding of our contracts, in our format. */
  const theirFunding = async (): Promise<unknown[]> => {
    const theirs = {
      ...(await client.fetchFundingIntervals()),
      ...(await client.fetchFundingIntervals(undefined, { productType: 'USDC-FUTURES' })),
    };
    return (rig.ours.funding ?? []).map(({ symbol, coin }) => {
      const { fundingRate, interval, fundingTimestamp } = theirs[unified(symbol)] ?? {};
      const periodHours = Number.parseInt(String(interval), 10);
      return { coin, symbol, rate: fundingRate, periodHours, nextFundingMs: fundingTimestamp };
    });
  };

  it('agrees on the rate, period and time of every funding', async () => {
    expect(rig.ours.funding).toEqual(await theirFunding());
    expect(rig.ours.funding?.length).toBeGreaterThan(30);
    expect(new Set(rig.ours.funding?.map(({ periodHours }) => periodHours))).toEqual(new Set([1, 4, 8]));
  });

  it('agrees on the mark and index of every contract', async () => {
    const theirs = {
      ...(await client.fetchTickers(undefined, { type: 'swap', subType: 'linear' })),
      ...(await client.fetchTickers(undefined, { type: 'swap', productType: 'USDC-FUTURES' })),
    };
    for (const { symbol, mark, index } of rig.ours.prices ?? []) {
      const row = theirs[unified(symbol)];
      expect([mark, index]).toEqual([row?.markPrice, row?.indexPrice]);
    }
  });

  it('agrees on the period of a contract after it has changed', async () => {
    await rig.passPeriodChange();
    expect(rig.ours.funding).toEqual(await theirFunding());
  });
});

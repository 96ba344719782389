import { type Known, venues } from '@crosstape/venues';
import ccxt from 'ccxt';
import { describe, expect, it } from 'vitest';
import { Witness } from './witness.ts';

const COMPARED = ['BTC_USDT', 'ETH_USDT', 'PEPE_USDT', '1000BONK_USDT', 'SHIB_USDT', 'TRX_USDT'];

/** Our connector's funding of some contracts: the periods of all in one answer, or one by one, and then the tickers. */
async function ourFunding(url: string, known: Known, nowMs: number): Promise<NonNullable<Known['funding']>> {
  const connector = venues.find(({ id }) => id === 'mexc')?.connector;
  const bulk = connector?.resources.find(({ name }) => name === 'funding_rate');
  const single = connector?.lookups?.find(({ fallbackFor }) => fallbackFor === bulk?.name);
  const tickers = connector?.resources.find(({ name }) => name === 'ticker');
  if (!bulk || !single || !tickers) throw new Error('the connector has changed its sources');
  const get = async (path: string): Promise<unknown> => (await fetch(`${url}/mexc${path}`)).json();
  const { fundingPeriods: all = [] } = bulk.parse(await get(bulk.request.path), nowMs, known);
  const fundingPeriods = all.filter(({ symbol }) => COMPARED.includes(symbol));
  for (const period of fundingPeriods) {
    const { symbol } = period;
    const answer = single.parse(await get(single.request(symbol).path), nowMs, known, symbol);
    expect(answer.fundingPeriods).toEqual([period]);
  }
  const { funding = [] } = tickers.parse(await get(tickers.request.path), nowMs, {
    ...known,
    fundingPeriods,
  });
  return funding;
}

describe('ccxt on MEXC', () => {
  const client = new ccxt.mexc({ enableRateLimit: false, options: { defaultType: 'swap' } });
  const rig = new Witness({
    venue: 'mexc',
    client,
    api: (url) => ({ spot: { public: url }, contract: { public: `${url}/api/v1/contract` } }),
    // The list of contracts may be requested once in five seconds.
    pauseMs: 5000,
  });
  const unified = (symbol: string): string => client.safeSymbol(symbol, undefined, '_', 'swap');

  it('lists the same contracts with the same coins in each, and inverse, hidden and stocks besides', () => {
    const active = Object.values(client.markets ?? {}).filter((market) => market?.active === true);
    const linear = active.filter(
      ({ linear: isLinear, info }) =>
        isLinear === true && info.isHidden === false && !info.conceptPlate.includes('mc-trade-zone-tradfi'),
    );
    expect(linear.map((market) => String(market?.id)).toSorted()).toEqual(
      rig.ours.instruments?.map(({ symbol }) => symbol).toSorted(),
    );
    expect(active.length).toBeGreaterThan(linear.length + 2);
    for (const { symbol, coin, contractSize } of rig.ours.instruments ?? []) {
      const market = linear.find((one) => one?.id === symbol);
      // ccxt takes the venue's id of a coin for its name.
      expect([coin, contractSize]).toEqual([market?.info.baseCoinName, market?.contractSize]);
    }
    expect(linear.find((one) => one?.id === 'FILECOIN_USDT')?.baseId).toBe('FILECOIN');
    expect(rig.ours.instruments).toContainEqual(
      expect.objectContaining({ symbol: 'FILECOIN_USDT', coin: 'FIL' }),
    );
  });

  it('agrees on open interest, mark and index, which it leaves raw in its tickers: it has no call for them', async () => {
    const theirs = await client.fetchTickers(undefined, { type: 'swap' });
    expect(rig.ours.openInterest?.length).toBe(rig.ours.instruments?.length);
    for (const [i, { symbol, contracts, coins, value = 0 }] of (rig.ours.openInterest ?? []).entries()) {
      const { info } = theirs[unified(symbol)] ?? {};
      const size = Number(client.market(unified(symbol))?.contractSize);
      expect(contracts).toBe(Number(info.holdVol));
      expect(coins).toBeCloseTo(contracts * size, 6);
      expect(value / (contracts * size * Number(info.fairPrice))).toBeCloseTo(1, 6);
      expect(rig.ours.prices?.[i]).toMatchObject({
        symbol,
        mark: Number(info.fairPrice),
        index: Number(info.indexPrice),
      });
    }
  });

  it('agrees on the rate, period and time of several contracts, also after a period has changed', async () => {
    const periods: (number | undefined)[] = [];
    for (const hours of [0, 4]) {
      rig.clock.advance(hours * 3_600_000);
      const funding = await ourFunding(rig.simulator.url, rig.ours, rig.clock.now());
      expect(funding.map(({ symbol }) => symbol).toSorted()).toEqual(COMPARED.toSorted());
      for (const { symbol, rate, periodHours, nextFundingMs } of funding) {
        const theirs = await client.fetchFundingRate(unified(symbol));
        expect([rate, `${periodHours}h`, nextFundingMs]).toEqual([
          theirs.fundingRate,
          theirs.interval,
          theirs.fundingTimestamp,
        ]);
      }
      periods.push(funding.find(({ symbol }) => symbol === COMPARED.at(-1))?.periodHours);
    }
    expect(periods).toEqual([8, 4]);
  });
});

import type { OptionQuote } from '@crosstape/core';
import { optionsVenue } from '@crosstape/venues';
import ccxt from 'ccxt';
import { beforeAll, describe, expect, it } from 'vitest';
import { T0, Witness } from './witness.ts';

const COINS = ['BTC', 'ETH', 'SOL', 'XRP'];

/** What ccxt keeps of the venue's own words. */
interface Info {
  readonly instrument_name: string;
  readonly mark_iv: string | number;
}

describe('ccxt on Deribit', () => {
  let ours: readonly OptionQuote[];
  let bySymbol: ReadonlyMap<string, OptionQuote>;
  const client = new ccxt.deribit({ enableRateLimit: false });
  const rig = new Witness({ venue: 'deribit', client, api: (url) => ({ rest: url }) });

  beforeAll(() => {
    const { btcOptions, ethOptions, usdcOptions } = rig.ours;
    ours = [btcOptions, ethOptions, usdcOptions].flatMap((rows) => rows ?? []);
    bySymbol = new Map(ours.map((option) => [option.symbol, option]));
  });

  it('lists the same options with the same terms, and those on other coins besides', () => {
    const theirs = Object.values(client.markets ?? {}).filter((market) => COINS.includes(market?.base ?? ''));
    expect(new Set(theirs.map((market) => market?.id))).toEqual(new Set(bySymbol.keys()));
    expect(theirs).toHaveLength(bySymbol.size);
    expect(theirs.length).toBeGreaterThan(4_000);
    expect(Object.keys(client.markets ?? {}).length).toBeGreaterThan(theirs.length);
    for (const market of theirs) {
      const { coin, strike, expiryMs, type, isLinear } = bySymbol.get(market?.id ?? '') ?? {};
      expect({ coin, strike, expiryMs, type, isLinear }).toEqual({
        coin: market?.base,
        strike: market?.strike,
        expiryMs: market?.expiry,
        type: market?.optionType === 'call' ? 'C' : 'P',
        isLinear: market?.linear,
      });
    }
  });

  it.each(['BTC', 'ETH', 'USDC'])('agrees on every option of the book of %s', async (code) => {
    const chain = Object.values(await client.fetchOptionChain(code));
    let compared = 0;
    for (const theirs of chain) {
      const info = theirs.info as Info;
      const option = bySymbol.get(info.instrument_name);
      if (!option) continue;
      compared += 1;
      expect([option.openInterest, option.markPrice, option.forward, option.volume24hCoins]).toEqual([
        theirs.openInterest,
        theirs.markPrice,
        theirs.underlyingPrice,
        theirs.baseVolume,
      ]);
      expect(option.markIvPct).toBe(Number(info.mark_iv));
    }
    const expected = ours.filter(({ coin, isLinear }) => (isLinear ? 'USDC' : coin) === code);
    expect(compared).toBe(expected.length);
  });

  it.each(COINS)('agrees on the volatility and greeks of an option on %s', async (coin) => {
    const option = ours.find(({ coin: own, strike, forward }) => own === coin && strike > forward);
    const theirs = await client.fetchGreeks(
      client.safeSymbol(option?.symbol, undefined, undefined, 'option'),
    );
    expect(option?.markIvPct).toBe(theirs.markImpliedVolatility);
    expect([option?.markPrice, option?.forward]).toEqual([theirs.markPrice, theirs.underlyingPrice]);
    expect(theirs.delta).toBeGreaterThan(0);
  });

  it('agrees on the index in a ticker', async () => {
    const option = ours.find(({ coin }) => coin === 'XRP');
    const theirs = await client.fetchTicker(
      client.safeSymbol(option?.symbol, undefined, undefined, 'option'),
    );
    const lookup = optionsVenue.connector?.lookups?.[0];
    const path = lookup?.request('XRP').path ?? '';
    const response = await fetch(`${rig.simulator.url}/deribit${path}`);
    const index = lookup?.parse(await response.json(), T0, {}, 'XRP').indexPrices?.[0]?.index;
    expect(index).toBe(Number((theirs.info as { index_price: unknown }).index_price));
  });
});

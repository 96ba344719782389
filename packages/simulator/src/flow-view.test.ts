import { describe, expect, it } from 'vitest';
import { FlowView, type ProxyTrade } from './flow-view.ts';
import { createMarket } from './market/market.ts';
import { SpotMarket } from './market/spot-market.ts';
import { viewOfVenue } from './venue-view.ts';
import { flowDays } from './venues/farside/flow-days.ts';
import { FUND_TABLES } from './venues/farside/funds.ts';

const T0 = Date.UTC(2026, 10, 12, 12);
const MINUTE_MS = 60_000;
const market = createMarket({ seed: 5 });

function spotOf(venue: string): SpotMarket {
  const view = viewOfVenue(market, venue);
  if (!view) throw new Error(`${venue} is not simulated`);
  return new SpotMarket(view);
}

describe.each(['BTC', 'kPEPE'])('what the sources would send for %s', (coin) => {
  const view = new FlowView(market, coin);
  const base = coin.replace(/^k/, '');
  const perUnit = coin === base ? 1 : 1_000;

  it('has the prices of the wires, but for what moves within their delays', () => {
    const reported = [...view.spotTickers(T0)];
    expect(reported.map(([source]) => source)).toContain('coinbase');
    for (const [source, [row]] of reported) {
      const { bid, ask } = spotOf(source).quote({ base, quote: row?.quote ?? '', priceDecimals: 12 }, T0);
      expect((row?.last ?? 0) / (((bid + ask) / 2) * perUnit)).toBeCloseTo(1, 3);
    }
  });
});

describe('what the sources would send', () => {
  const view = new FlowView(market, 'BTC');

  it('has the won price of the Korean wire, with its book around it', () => {
    const { tickers, books } = view.korea(T0);
    const { bid, ask } = spotOf('upbit').quote({ base: 'BTC', quote: 'KRW', priceDecimals: 2 }, T0);
    expect((tickers[0]?.last ?? 0) / ((bid + ask) / 2)).toBeCloseTo(1, 3);
    expect(books[0]?.bid).toBeLessThan(books[0]?.ask ?? 0);
    expect(new FlowView(market, 'NOPE').korea(T0)).toEqual({ tickers: [], books: [] });
  });

  it('has the very trades of the feed, by their worth', () => {
    const [fromMs, toMs] = [T0, T0 + 10 * MINUTE_MS];
    const reported: ProxyTrade[] = [];
    view.proxyTrades(fromMs, toMs, (trade) => reported.push(trade));
    const deals = spotOf('coinbase').deals({ base: 'BTC', quote: 'USD', priceDecimals: 2 }, fromMs, toMs);
    expect(reported.map(({ ts, side }) => [ts, side])).toEqual(deals.map(({ ts, side }) => [ts, side]));
    for (const [i, { price, size, order }] of deals.entries()) {
      expect((reported[i]?.notionalUsd ?? 0) / (price * size)).toBeCloseTo(1, 2);
      expect(reported[i]?.sameOrder).toBe(order === deals[i - 1]?.order);
    }
  });

  it('has the recent figures of the ETF page', () => {
    const table = FUND_TABLES.bitcoin;
    const all = flowDays({ seed: 5, table, funds: table.funds, nowMs: T0 });
    const { days, tickers } = view.etfFlows('bitcoin', T0);
    expect(tickers).toEqual(table.funds.map(({ ticker }) => ticker));
    const last = all.findLast(({ tenths }) => tenths.some((value) => value !== undefined));
    expect(days.at(-1)?.dayMs).toBe(last?.dayMs);
    const sum = (last?.tenths ?? []).reduce<number>((total, value) => total + (value ?? 0), 0);
    expect(days.at(-1)?.totalUsdm).toBe(sum / 10);
    expect(days.length).toBeGreaterThan(30);
  });
});

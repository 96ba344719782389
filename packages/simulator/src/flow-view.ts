import {
  type Asset,
  DAY_MS,
  type EtfFlows,
  type ExchangeRate,
  type Side,
  type SpotBook,
  type SpotTicker,
} from '@crosstape/core';
import { koreanVenue, spotVenues } from '@crosstape/venues';
import { bankTimeMs, Currencies } from './market/currencies.ts';
import type { Market } from './market/market.ts';
import { SpotMarket } from './market/spot-market.ts';
import { bareCoin } from './market/venue-market.ts';
import { viewOfVenue } from './venue-view.ts';
import { flowDays } from './venues/farside/flow-days.ts';
import { FUND_TABLES } from './venues/farside/funds.ts';

/** Days of ETF flows that are used. */
const ETF_DAYS = 60;
/** Half of the spread; only its middle matters. */
const TOUCH = 0.3e-4;

/** Spot venues that quote dollars and have a tether/dollar pair; the others quote tethers. */
const DOLLAR_IDS: readonly string[] = ['coinbase', 'kraken-spot'];

/** A trade on the proxy venue. */
export interface ProxyTrade {
  readonly ts: number;
  readonly side: Side;
  readonly notionalUsd: number;
  readonly sameOrder: boolean;
}

/**
 * What the flow sources would send for one coin at a time, as records and in bulk, without their wires: prices are from
 * the same moment everywhere, because the delays of venues are far below a basis point. Volumes are shares, not coins.
 */
export class FlowView {
  readonly #market: Market;
  readonly #coin: string;
  readonly #bare: { readonly name: string; readonly perUnit: number };
  readonly #money: Currencies;
  readonly #spots: readonly SpotSource[];
  readonly #korea: SpotMarket | undefined;
  readonly #proxy: SpotMarket | undefined;

  constructor(market: Market, coin: string) {
    this.#market = market;
    this.#coin = coin;
    this.#bare = bareCoin(coin);
    this.#money = new Currencies(market.seed);
    this.#spots = spotVenues.flatMap(({ id }) => {
      const view = viewOfVenue(market, id);
      const isListed = view?.coins.some(({ name }) => name === coin);
      return view && isListed ? [{ id, share: view.shape.share, spot: new SpotMarket(view) }] : [];
    });
    this.#proxy = this.#spots.find(({ id }) => id === spotVenues[0].id)?.spot;
    const korea = viewOfVenue(market, koreanVenue.id);
    if (korea?.coins.some(({ name }) => name === coin)) this.#korea = new SpotMarket(korea);
  }

  /** By source of spot prices. */
  spotTickers(atMs: number): ReadonlyMap<string, readonly SpotTicker[]> {
    const { index } = this.#market.quote(this.#coin, atMs);
    return new Map(
      this.#spots.map(({ id, share, spot }) => {
        const isInDollars = DOLLAR_IDS.includes(id);
        const quote = isInDollars ? 'USD' : 'USDT';
        const row = ticker(this.#coin, quote, index * spot.factor(this.#bare.name, quote, atMs), share);
        const tether = (): SpotTicker =>
          ticker('USDT', 'USD', this.#money.usdt(atMs) * spot.factor('USDT', 'USD', atMs), share);
        return [id, isInDollars ? [row, tether()] : [row]];
      }),
    );
  }

  /** Nothing where the Korean venue does not list the coin. */
  korea(atMs: number): { readonly tickers: readonly SpotTicker[]; readonly books: readonly SpotBook[] } {
    const spot = this.#korea;
    if (!spot) return { tickers: [], books: [] };
    const { index } = this.#market.quote(this.#coin, atMs);
    const row = ticker(this.#coin, 'KRW', index * spot.factor(this.#bare.name, 'KRW', atMs), 1);
    const { coin, symbol, quote, bid = row.last, ask = row.last } = row;
    return {
      tickers: [{ ...row, venueTs: atMs }],
      books: [{ coin, symbol, quote, bid, ask, bidSize: 1, askSize: 1, venueTs: atMs }],
    };
  }

  usdKrw(atMs: number): ExchangeRate {
    const asOfMs = bankTimeMs(atMs);
    return { coin: 'USD', quote: 'KRW', rate: this.#money.usdKrw(asOfMs), asOfMs };
  }

  /** The recent flows of an asset, as on its page. */
  etfFlows(asset: Asset, atMs: number): EtfFlows {
    const full = FUND_TABLES[asset];
    const launchMs = Math.max(full.launchMs, (Math.floor(atMs / DAY_MS) - ETF_DAYS) * DAY_MS);
    const table = { ...full, launchMs };
    const days = flowDays({ seed: this.#market.seed, table, funds: full.funds, nowMs: atMs });
    return {
      coin: asset,
      tickers: full.funds.map(({ ticker: name }) => name),
      days: days.flatMap(({ dayMs, tenths }) => {
        const reported = full.funds.flatMap(({ ticker: name }, i) => {
          const value = tenths[i];
          return value === undefined ? [] : [[name, value / 10] as const];
        });
        const sum = tenths.reduce<number>((total, value) => total + (value ?? 0), 0);
        const day = { label: '', dayMs, flowsUsdm: Object.fromEntries(reported), totalUsdm: sum / 10 };
        return reported.length > 0 ? [day] : [];
      }),
      isSinceLaunch: false,
    };
  }

  /** The trades of the proxy venue with `fromMs <= ts < toMs`, about in order of time. */
  proxyTrades(fromMs: number, toMs: number, reported: (trade: ProxyTrade) => void): void {
    this.#proxy?.emit(this.#bare.name, fromMs, toMs, ({ ts, side, usd, isSameOrder }) =>
      reported({ ts, side, notionalUsd: usd, sameOrder: isSameOrder }),
    );
  }
}

interface SpotSource {
  readonly id: string;
  readonly share: number;
  readonly spot: SpotMarket;
}

function ticker(coin: string, quote: string, middle: number, share: number): SpotTicker {
  return {
    coin,
    symbol: `${coin}-${quote}`,
    quote,
    last: middle,
    bid: middle * (1 - TOUCH),
    ask: middle * (1 + TOUCH),
    volume24hCoins: share,
    change24hPct: 0,
  };
}

import { DAY_MS } from '@crosstape/core';
import type { Coin } from '../../market/coins.ts';
import { bareCoin, type VenueMarket } from '../../market/venue-market.ts';
import { perMarket } from '../per-market.ts';
import { decimalsFor } from '../plain-decimal.ts';

/** One row of the venue's linear list. */
export interface Contract {
  readonly symbol: string;
  readonly symbolId: number;
  readonly coin: Coin;
  readonly contractType: 'LinearPerpetual' | 'LinearFutures';
  readonly status: 'Trading' | 'PreLaunch';
  readonly baseCoin: string;
  readonly quoteCoin: 'USDT' | 'USDC';
  readonly symbolType: '' | 'innovation' | 'stock' | 'ETF';
  readonly launchMs: number;
  /** Delivery of a dated contract. */
  readonly deliveryMs: number;
  /** Its share of the venue's positions in the coin; a dated one's is additional. */
  readonly part: number;
  readonly priceDecimals: number;
  readonly sizeDecimals: number;
}

const SIZE_DECIMALS_MAX = 3;
const WITH_USDC: readonly string[] = ['BTC', 'ETH', 'SOL'];
const USDC_PART = 0.06;
const DATED_PART = 0.02;
const LAUNCH_MS = Date.UTC(2020, 2, 30);
/** Its region names of some of the market's categories; `ETF` in capitals [L]. */
const NOT_CRYPTO = [
  { category: 'stocks', symbolType: 'stock' },
  { category: 'indices', symbolType: 'ETF' },
] as const;
/** Coins with another name here than elsewhere [L]. */
const OWN_NAMES: Readonly<Record<string, string>> = { NEIRO: 'NEIROCTO' };

/** Contracts of the last requested day. */
const newestOf = perMarket((): { day: number; contracts: readonly Contract[] } => ({
  day: Number.NaN,
  contracts: [],
}));

/** Contracts against USDT, some against USDC, a dated one, a stock, a fund and one before its market opens, by symbol. */
export function contractsOf(market: VenueMarket, nowMs: number): readonly Contract[] {
  const newest = newestOf(market);
  const day = Math.floor(nowMs / DAY_MS);
  if (day !== newest.day) Object.assign(newest, { day, contracts: listContracts(market, nowMs) });
  return newest.contracts;
}

function listContracts(market: VenueMarket, nowMs: number): readonly Contract[] {
  const main = market.coins.map((coin, i) => {
    const baseCoin = baseCoinOf(coin.name);
    const part = WITH_USDC.includes(coin.name) ? 1 - USDC_PART : 1;
    const named = { coin, baseCoin, symbolId: 5 + i, symbolType: i < 30 ? '' : 'innovation' } as const;
    return { ...contractOf(named), part };
  });
  const withUsdc = main
    .filter(({ coin }) => WITH_USDC.includes(coin.name))
    .map((contract) => ({
      ...contract,
      symbol: `${contract.baseCoin}PERP`,
      symbolId: contract.symbolId + 500,
      quoteCoin: 'USDC' as const,
      part: USDC_PART,
    }));
  return [...main, ...withUsdc, ...othersOf(market, main, nowMs)].toSorted((a, b) =>
    a.symbol < b.symbol ? -1 : 1,
  );
}

/** Contracts that a client for crypto perpetuals must ignore. */
function othersOf(market: VenueMarket, [bitcoin]: readonly Contract[], nowMs: number): readonly Contract[] {
  const others: Contract[] = [];
  if (bitcoin) {
    const deliveryMs = Date.UTC(new Date(nowMs).getUTCFullYear() + 1, 5, 25, 8);
    const symbol = `BTC-25JUN${new Date(deliveryMs).getUTCFullYear() % 100}`;
    const contractType = 'LinearFutures';
    others.push({
      ...bitcoin,
      symbol,
      contractType,
      deliveryMs,
      quoteCoin: 'USDC',
      part: DATED_PART,
      symbolId: 900,
    });
  }
  for (const [i, { category, symbolType }] of NOT_CRYPTO.entries()) {
    const coin = market.market.coins.find((one) => one.category === category);
    if (!coin) continue;
    const baseCoin = coin.name.slice(coin.dex.length + 1);
    others.push(contractOf({ coin, baseCoin, symbolId: 903 + i, symbolType }));
  }
  const listed = new Set(market.coins);
  const next = market.market.coins.find((coin) => !coin.isDelisted && coin.dex === '' && !listed.has(coin));
  if (next) {
    const contract = contractOf({ coin: next, baseCoin: next.name, symbolId: 902, symbolType: '' });
    others.push({ ...contract, status: 'PreLaunch', launchMs: nowMs - (nowMs % DAY_MS) - DAY_MS });
  }
  return others;
}

function contractOf(named: Pick<Contract, 'coin' | 'baseCoin' | 'symbolId' | 'symbolType'>): Contract {
  return {
    ...named,
    symbol: `${named.baseCoin}USDT`,
    contractType: 'LinearPerpetual',
    status: 'Trading',
    quoteCoin: 'USDT',
    launchMs: LAUNCH_MS + named.symbolId * DAY_MS,
    deliveryMs: 0,
    part: 1,
    priceDecimals: decimalsFor(named.coin.price, 6),
    sizeDecimals: Math.min(named.coin.sizeDecimals, SIZE_DECIMALS_MAX),
  };
}

/** A thousand of a cheap coin is the unit here, too: `1000PEPE`, and, alone, `SHIB1000` [K]. */
function baseCoinOf(coin: string): string {
  const { name: bare, perUnit } = bareCoin(coin);
  const name = OWN_NAMES[bare] ?? bare;
  if (perUnit === 1) return name;
  return name === 'SHIB' ? `${name}${perUnit}` : `${perUnit}${name}`;
}

import { DAY_MS } from '@crosstape/core';
import type { Market } from '../../market/market.ts';
import { decimal } from './print.ts';

/** The venue's spot side, as far as clients of its perpetuals stumble over it: two pairs that follow the same market. */
const TOKENS = [
  { name: 'USDC', szDecimals: 8, weiDecimals: 8 },
  { name: 'PURR', szDecimals: 0, weiDecimals: 5 },
  { name: 'UBTC', szDecimals: 5, weiDecimals: 10 },
] as const;

const PAIRS = [
  { name: 'PURR/USDC', index: 0, token: 1, follows: 'HYPE', ratio: 0.004 },
  { name: '@142', index: 142, token: 2, follows: 'BTC', ratio: 1 },
] as const;

/** https://hyperliquid.gitbook.io/hyperliquid-docs/for-developers/api/info-endpoint/spot */
export function printSpotMeta(): unknown {
  return {
    universe: PAIRS.map(({ name, index, token }) => ({
      tokens: [token, 0],
      name,
      index,
      isCanonical: index === 0,
    })),
    tokens: TOKENS.map((token, index) => ({
      ...token,
      index,
      tokenId: `0x${String(index).padStart(32, '0')}`,
      isCanonical: index < 2,
      evmContract: null,
      fullName: null,
      deployerTradingFeeShare: '0.0',
    })),
  };
}

export function printSpotContexts(market: Market, atMs: number): unknown {
  return PAIRS.map(({ name, follows, ratio }) => {
    const volume = market.volume24h(follows, atMs);
    const price = spotPrice(market, follows, ratio, atMs);
    return {
      prevDayPx: spotPrice(market, follows, ratio, atMs - DAY_MS),
      dayNtlVlm: decimal(volume.usd / 50),
      markPx: price,
      midPx: price,
      circulatingSupply: '1000000.0',
      coin: name,
      totalSupply: '1000000.0',
      dayBaseVlm: decimal(volume.coins / ratio / 50, 5),
    };
  });
}

export function spotMids(market: Market, atMs: number): Record<string, string> {
  return Object.fromEntries(
    PAIRS.map(({ name, follows, ratio }) => [name, spotPrice(market, follows, ratio, atMs)]),
  );
}

function spotPrice(market: Market, follows: string, ratio: number, atMs: number): string {
  return decimal(Number((market.quote(follows, atMs).index * ratio).toPrecision(5)));
}

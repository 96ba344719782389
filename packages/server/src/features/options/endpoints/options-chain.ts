import {
  expiryLabel,
  type Greeks,
  greeksOf,
  type OptionQuote,
  roundTo,
  yearsToExpiry,
} from '@crosstape/core';
import { type Static, Type } from 'typebox';
import { optionsOfChain } from '../option-chain.ts';
import { optionsCacheSeconds, optionsQuery, readChain } from '../read-options.ts';
import { OptionChainRow } from '../schema.ts';
import { endpoint } from '../../context.ts';

const USD_DECIMALS = 6;

export const optionsChain = endpoint({
  path: '/options/chain',
  summary: 'Option chain',
  description:
    'Every option of the active chain, by expiry and strike. BTC and ETH: the options that settle in the coin itself; SOL and XRP: those that settle in USDC. Open interest and volume are in coins. Fetched on demand and kept fresh while requested.',
  query: optionsQuery,
  data: Type.Array(OptionChainRow),
  cacheSeconds: optionsCacheSeconds,
  examples: [{ summary: 'Bitcoin', search: 'underlying=BTC' }],
  errors: ['upstream_unavailable'],
  async handle({ underlying }, context) {
    const { tables, meta, validUntilMs } = await readChain(context, underlying);
    const rows = optionsOfChain(tables[0]?.rows ?? [], underlying, context.nowMs);
    return {
      data: rows.map((option) => printOption(option, underlying, tables[0]?.fetchedAtMs ?? context.nowMs)),
      meta,
      // The next one to expire is the first.
      validUntilMs: Math.min(validUntilMs, rows[0]?.expiryMs ?? Infinity),
    };
  },
});

function printOption(
  option: OptionQuote,
  underlying: Static<typeof OptionChainRow>['underlying'],
  atMs: number,
): Static<typeof OptionChainRow> {
  const { strike, expiryMs, type, openInterest, volume24hCoins, markIvPct, markPrice, forward } = option;
  return {
    instrument: `${underlying}-${expiryLabel(expiryMs)}-${strike}-${type}`,
    underlying,
    strike,
    expiryMs,
    type,
    oi: openInterest,
    volume24h: volume24hCoins,
    markIv: markIvPct,
    markPrice,
    underlyingPrice: forward,
    markPriceUsd: option.isLinear ? markPrice : roundTo(markPrice * forward, USD_DECIMALS),
    ...greeksAt(option, atMs),
    venueInstrument: option.symbol,
  };
}

/** The digits that count: a gamma of Bitcoin has nine decimals, one of XRP two. */
const GREEK_DIGITS = 6;

/** Nothing without a volatility. */
function greeksAt(option: OptionQuote, atMs: number): Greeks | undefined {
  const { type, strike, forward, markIvPct, expiryMs } = option;
  const years = yearsToExpiry(expiryMs, atMs);
  if (years === undefined || markIvPct <= 0 || forward <= 0) return undefined;
  const { delta, gamma, vega, theta } = greeksOf(type, {
    forward,
    strike,
    volatility: markIvPct / 100,
    years,
  });
  const digits = (value: number): number => Number(value.toPrecision(GREEK_DIGITS));
  return { delta: digits(delta), gamma: digits(gamma), vega: digits(vega), theta: digits(theta) };
}

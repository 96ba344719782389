import type { Funding, Instrument, OpenInterest, Price } from '@crosstape/core';
import { roundTo } from '@crosstape/core';
import { readArray, readDecimal, readObject, readPositiveDecimal, readRows } from '../reading.ts';
import { Malformed, type Resource } from '../venue.ts';
import { type Listing, parseUniverse } from './instruments.ts';

const HOUR_MS = 3_600_000;

/**
 * Price, funding and open interest of every coin in one call. The answer is `[meta, contexts]`, the second in the
 * order of `meta.universe`:
 * ```json
 * {"funding":"-0.0000015186","openInterest":"27353.17682","prevDayPx":"76317.0",
 *  "dayNtlVlm":"1516669192.1953897476","premium":"-0.0005927453","oraclePx":"77605.0",
 *  "markPx":"77562.0","midPx":"77558.5","impactPxs":["77558.0","77559.0"],"dayBaseVlm":"19707.77457"}
 * ```
 * `funding` is the rate per hour that will be paid at the next full hour; `openInterest` is in coins, one side
 * [K: that it is one side is not confirmed]; `midPx` is null on an empty book. Shape [S, C, N].
 * https://hyperliquid.gitbook.io/hyperliquid-docs/for-developers/api/info-endpoint/perpetuals
 */
export const assetContexts: Resource = {
  name: 'metaAndAssetCtxs',
  polled: 'always',
  everyMs: 30_000,
  gives: ['instruments', 'openInterest', 'funding', 'prices'],
  weight: 20,
  request: { method: 'POST', path: '/info', body: { type: 'metaAndAssetCtxs' } },
  parse(body, receivedAtMs) {
    const [meta, second] = readArray(body, 'answer');
    const listings = parseUniverse(meta);
    const contexts = readArray(second, 'answer[1]');
    if (contexts.length !== listings.length) {
      throw new Malformed(`${listings.length} listings but ${contexts.length} contexts`);
    }
    const nextFundingMs = (Math.floor(receivedAtMs / HOUR_MS) + 1) * HOUR_MS;
    const { rows, refused } = readRows(listings.length, (i) => {
      const listing = listings[i] as Listing;
      return listing.isDelisted ? undefined : parseContext(listing, contexts[i], nextFundingMs);
    });
    return {
      instruments: rows.map((row) => row.instrument),
      openInterest: rows.map((row) => row.openInterest),
      funding: rows.map((row) => row.funding),
      prices: rows.map((row) => row.price),
      refused,
    };
  },
};

interface Context {
  readonly instrument: Instrument;
  readonly openInterest: OpenInterest;
  readonly funding: Funding;
  readonly price: Price;
}

function parseContext({ coin, symbol, sizeDecimals }: Listing, row: unknown, nextFundingMs: number): Context {
  const context = readObject(row, `${coin} context`);
  const mark = readPositiveDecimal(context.markPx, `${coin}.markPx`);
  const coins = readDecimal(context.openInterest, `${coin}.openInterest`);
  if (coins < 0) throw new Malformed(`${coin}.openInterest is negative: ${coins}`);
  const rate = readDecimal(context.funding, `${coin}.funding`);
  return {
    instrument: { coin, symbol, sizeDecimals },
    openInterest: { coin, symbol, contracts: coins, coins, usd: roundTo(coins * mark, 2) },
    funding: { coin, symbol, rate, periodHours: 1, nextFundingMs },
    price: {
      coin,
      symbol,
      mark,
      index: readPositiveDecimal(context.oraclePx, `${coin}.oraclePx`),
      // Null on an empty book.
      ...(context.midPx === null || context.midPx === undefined
        ? {}
        : { mid: readPositiveDecimal(context.midPx, `${coin}.midPx`) }),
      volume24hCoins: readDecimal(context.dayBaseVlm, `${coin}.dayBaseVlm`),
      volume24hUsd: readDecimal(context.dayNtlVlm, `${coin}.dayNtlVlm`),
      // A coin listed today has no price of the day before [K].
      ...(context.prevDayPx === null || context.prevDayPx === undefined
        ? {}
        : { prevDayPrice: readDecimal(context.prevDayPx, `${coin}.prevDayPx`) }),
    },
  };
}

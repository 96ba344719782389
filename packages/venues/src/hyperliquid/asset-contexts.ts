import type { Funding, OpenInterest, Price } from '@crosstape/core';
import { roundTo } from '@crosstape/core';
import {
  type Fields,
  readArray,
  readDecimal,
  readObject,
  readPositiveDecimal,
  readRows,
  readTables,
} from '../reading.ts';
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
    const { rows, refused } = readRows(listings.length, (i): Context | undefined => {
      const listing = listings[i] as Listing;
      if (listing.isDelisted) return undefined;
      return { listing, fields: readObject(contexts[i], `${listing.coin} context`) };
    });
    const tables = readTables(rows, {
      openInterest: parseOpenInterest,
      funding: (context) => parseFunding(context, nextFundingMs),
      prices: parsePrice,
    });
    return {
      instruments: rows.map(({ listing: { coin, symbol, sizeDecimals } }) => ({
        coin,
        symbol,
        sizeDecimals,
      })),
      ...tables,
      refused: [...refused, ...tables.refused],
    };
  },
};

interface Context {
  readonly listing: Listing;
  readonly fields: Fields;
}

function readMark({ listing: { coin }, fields }: Context): number {
  return readPositiveDecimal(fields.markPx, `${coin}.markPx`);
}

function parseOpenInterest(context: Context): OpenInterest {
  const { coin, symbol } = context.listing;
  const mark = readMark(context);
  const coins = readDecimal(context.fields.openInterest, `${coin}.openInterest`);
  if (coins < 0) throw new Malformed(`${coin}.openInterest is negative: ${coins}`);
  return { coin, symbol, contracts: coins, coins, usd: roundTo(coins * mark, 2) };
}

function parseFunding({ listing: { coin, symbol }, fields }: Context, nextFundingMs: number): Funding {
  return {
    coin,
    symbol,
    rate: readDecimal(fields.funding, `${coin}.funding`),
    periodHours: 1,
    nextFundingMs,
  };
}

function parsePrice(context: Context): Price {
  const { fields } = context;
  const { coin, symbol } = context.listing;
  return {
    coin,
    symbol,
    mark: readMark(context),
    index: readPositiveDecimal(fields.oraclePx, `${coin}.oraclePx`),
    // Null on an empty book.
    ...(fields.midPx === null || fields.midPx === undefined
      ? {}
      : { mid: readPositiveDecimal(fields.midPx, `${coin}.midPx`) }),
    volume24hCoins: readDecimal(fields.dayBaseVlm, `${coin}.dayBaseVlm`),
    volume24hUsd: readDecimal(fields.dayNtlVlm, `${coin}.dayNtlVlm`),
    // A coin listed today has no price of the day before [K].
    ...(fields.prevDayPx === null || fields.prevDayPx === undefined
      ? {}
      : { prevDayPrice: readDecimal(fields.prevDayPx, `${coin}.prevDayPx`) }),
  };
}

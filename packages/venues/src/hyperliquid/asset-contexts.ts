import { type Funding, HOUR_MS, type OpenInterest, type Price, type Volume } from '@crosstape/core';
import { roundTo } from '@crosstape/core';
import {
  type Fields,
  present,
  type ReportOdd,
  readAmount,
  readArray,
  readDecimal,
  readObject,
  readOptional,
  readPositiveDecimal,
  MOST,
  readRows,
  readTables,
} from '../reading.ts';
import { Malformed, type Resource } from '../venue.ts';
import { type Listing, parseListing } from './instruments.ts';

/**
 * Price, funding, open interest and volume of every coin in one call. The answer is `[meta, contexts]`, the second in the
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
  gives: ['instruments', 'openInterest', 'funding', 'prices', 'volumes'],
  weight: 20,
  request: { method: 'POST', path: '/info', body: { type: 'metaAndAssetCtxs' } },
  parse(body, receivedAtMs) {
    const [meta, second] = readArray(body, 'answer');
    const listings = readArray(readObject(meta, 'meta').universe, 'meta.universe');
    const contexts = readArray(second, 'answer[1]');
    if (contexts.length !== listings.length) {
      throw new Malformed(`${listings.length} listings but ${contexts.length} contexts`);
    }
    const nextFundingMs = (Math.floor(receivedAtMs / HOUR_MS) + 1) * HOUR_MS;
    const coins = readRows(
      listings.length,
      (i, odd): Context | undefined => {
        const listing = parseListing(listings[i], i, odd);
        if (listing.isDelisted) return undefined;
        return { listing, fields: readObject(contexts[i], `${listing.coin} context`) };
      },
      MOST,
    );
    const tables = readTables(coins, {
      openInterest: parseOpenInterest,
      funding: (context) => parseFunding(context, nextFundingMs),
      prices: parsePrice,
      volumes: parseVolume,
    });
    return {
      instruments: coins.rows.map(({ listing: { isDelisted: _, ...instrument } }) => instrument),
      ...tables,
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
  return { coin, symbol, contracts: coins, coins, value: roundTo(coins * mark, 2) };
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

/** All but the mark may be missing: `midPx` is null on an empty book, a coin listed today has no price of the day before [K]. */
function parsePrice(context: Context, odd: ReportOdd): Price {
  const { fields } = context;
  const { coin, symbol } = context.listing;
  const optional = (field: string, read = readPositiveDecimal): number | undefined =>
    readOptional(fields[field], `${coin}.${field}`, read, odd);
  return {
    coin,
    symbol,
    mark: readMark(context),
    ...present({
      index: optional('oraclePx'),
      mid: optional('midPx'),
      prevDayPrice: optional('prevDayPx', readAmount),
    }),
  };
}

function parseVolume({ listing: { coin, symbol }, fields }: Context, odd: ReportOdd): Volume {
  const value = readAmount(fields.dayNtlVlm, `${coin}.dayNtlVlm`);
  const coins = readOptional(fields.dayBaseVlm, `${coin}.dayBaseVlm`, readAmount, odd);
  return { coin, symbol, value, ...present({ coins }) };
}

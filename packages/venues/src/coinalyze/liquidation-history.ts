import { type Instrument, roundTo } from '@crosstape/core';
import { notNegative, readArray, readInteger, readNumber, readObject, readText } from '../reading.ts';
import { type Lookup, Malformed } from '../venue.ts';

const DAY_S = 86_400;
const BUCKET_S = 300;
/** Symbols of a request; each counts as a call. The source takes 20 [D]; no coin has as many linear contracts on one venue [K]. */
const SYMBOLS_MAX = 20;
const USD_DECIMALS = 2;

/** Our ids of the venues that it covers [M]; the primary one is inferred, and not requested here. */
const VENUES: Readonly<Record<string, string>> = {
  A: 'binance',
  '6': 'bybit',
  '3': 'okx',
  K: 'kraken',
  Y: 'gate',
};

/** The venues whose liquidations can be requested. */
export const aggregatedVenues: readonly string[] = Object.values(VENUES);

/** How a coin may be spelled by who counts several of it as one. */
const MULTIPLES: readonly string[] = ['1000', '10000', '100000', '1000000', '1M'];

/**
 * What was liquidated in each five minutes of the last day, in dollars. Who asks names `<venue>:<coin>`; a key here has
 * the symbols besides: `okx:BTC:BTCUSDT_PERP.3,BTCUSDC_PERP.3`.
 * ```json
 * [{"symbol":"BTCUSDT_PERP.3","history":[{"t":1760000400,"l":152345.1,"s":80231.7}]}]
 * ```
 * `t`, `from` and `to` are in seconds (milliseconds are answered with nothing); `l` are longs that were liquidated, `s`
 * shorts, in the base coin unless dollars are requested. A bucket without a liquidation is missing, and the last one is
 * still forming [M].
 * https://api.coinalyze.net/v1/doc/
 */
export const liquidationHistory: Lookup = {
  name: 'liquidation-history',
  polled: 'demand',
  everyMs: 300_000,
  gives: ['liquidationTotals'],
  needs: ['instruments'],
  weight: SYMBOLS_MAX,
  keys: (known, asked) =>
    asked.flatMap((key) => {
      const symbols = symbolsOf(key, known.instruments ?? []);
      // More than a question may name would be less than the whole.
      return symbols.length === 0 || symbols.length > SYMBOLS_MAX ? [] : [`${key}:${symbols.join(',')}`];
    }),
  request(key, nowMs = 0) {
    const toS = Math.floor(nowMs / 1000);
    const { symbols } = readKey(key);
    const named = encodeURIComponent(symbols.join(','));
    const window = `interval=5min&from=${firstBucket(toS)}&to=${toS}&convert_to_usd=true`;
    const path = `/v1/liquidation-history?symbols=${named}&${window}`;
    return { method: 'GET', path, weight: symbols.length };
  },
  parse(body, receivedAtMs, _known, key) {
    const { venue, coin, symbols } = readKey(key);
    const toS = Math.floor(receivedAtMs / 1000);
    const fromS = firstBucket(toS);
    let longUsd = 0;
    let shortUsd = 0;
    for (const row of readArray(body, 'answer')) {
      const { symbol, history } = readObject(row, 'row');
      if (!symbols.includes(readText(symbol, 'symbol')))
        throw new Malformed(`not requested: ${String(symbol)}`);
      for (const bucket of readArray(history, `${String(symbol)}.history`)) {
        const { t, l, s } = readObject(bucket, 'bucket');
        const beginsS = readInteger(t, 't');
        if (beginsS > toS + DAY_S) throw new Malformed(`t is not in seconds: ${beginsS}`);
        if (beginsS < fromS) continue;
        longUsd += notNegative(readNumber(l, 'l'), 'l');
        shortUsd += notNegative(readNumber(s, 's'), 's');
      }
    }
    const totals = { longUsd: roundTo(longUsd, USD_DECIMALS), shortUsd: roundTo(shortUsd, USD_DECIMALS) };
    return { liquidationTotals: [{ coin, venue, ...totals, asOfMs: receivedAtMs }] };
  },
};

/** The first whole bucket of the day before. */
function firstBucket(toS: number): number {
  return Math.ceil((toS - DAY_S) / BUCKET_S) * BUCKET_S;
}

function readKey(key: string): {
  readonly venue: string;
  readonly coin: string;
  readonly symbols: readonly string[];
} {
  const [venue = '', coin = '', symbols = ''] = key.split(':');
  return { venue, coin, symbols: symbols.split(',') };
}

/** Symbols by venue and base, from each list received. */
const indexes = new WeakMap<readonly Instrument[], ReadonlyMap<string, readonly string[]>>();

function symbolsOf(key: string, markets: readonly Instrument[]): readonly string[] {
  let index = indexes.get(markets);
  if (!index) indexes.set(markets, (index = indexOf(markets)));
  const [venue = '', coin = ''] = key.split(':');
  const bare = coin.replace(/^k(?=[A-Z0-9])/, '');
  const spellings = new Set([
    coin,
    bare,
    ...MULTIPLES.map((multiple) => `${multiple}${bare}`),
    `${bare}1000`,
  ]);
  return [...spellings].flatMap((base) => index.get(`${venue}:${base}`) ?? []);
}

function indexOf(markets: readonly Instrument[]): ReadonlyMap<string, readonly string[]> {
  const index = new Map<string, string[]>();
  for (const { symbol, coin } of markets) {
    const venue = VENUES[symbol.slice(symbol.lastIndexOf('.') + 1)];
    if (venue === undefined) continue;
    const key = `${venue}:${coin}`;
    index.set(key, [...(index.get(key) ?? []), symbol]);
  }
  return index;
}

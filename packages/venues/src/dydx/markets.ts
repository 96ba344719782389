import {
  type Funding,
  HOUR_MS,
  type Instrument,
  type OpenInterest,
  type Price,
  type Volume,
} from '@crosstape/core';
import { roundTo } from '@crosstape/core';
import {
  type Fields,
  readAmount,
  readDecimal,
  readObject,
  readPositiveDecimal,
  MOST,
  readRows,
  readTables,
  readTick,
} from '../reading.ts';
import { Malformed, type Resource } from '../venue.ts';

/**
 * Everything about every market in one call [D]:
 * ```json
 * {"markets":{"BTC-USD":{"clobPairId":"0","ticker":"BTC-USD","status":"ACTIVE","oraclePrice":"89919.2",
 *  "priceChange24H":"701.1","volume24H":"247500844.68","trades24H":63065,"nextFundingRate":"0.0000025454",
 *  "initialMarginFraction":"0.02","maintenanceMarginFraction":"0.012","openInterest":"381.7348",
 *  "atomicResolution":-10,"quantumConversionExponent":-9,"tickSize":"1","stepSize":"0.0001",
 *  "stepBaseQuantums":1000000,"subticksPerTick":100000,"marketType":"CROSS","openInterestLowerCap":"0",
 *  "openInterestUpperCap":"0","baseOpenInterest":"782.09","defaultFundingRate1H":"0"}}}
 * ```
 * `openInterest` is in coins, one side [K: that it is one side]; `baseOpenInterest` is a figure of the protocol's.
 * `nextFundingRate` is per hour and paid at the next full one. The oracle's price is mark and index in one; a market
 * that the oracle does not price yet has null. `volume24H` is in dollars [D].
 * https://docs.dydx.xyz/indexer-client/http#list-perpetual-markets
 */
export const markets: Resource = {
  name: 'markets',
  polled: 'always',
  everyMs: 30_000,
  gives: ['instruments', 'openInterest', 'funding', 'prices', 'volumes'],
  weight: 1,
  request: { method: 'GET', path: '/v4/perpetualMarkets' },
  parse(body, receivedAtMs) {
    const listed = Object.entries(readObject(readObject(body, 'answer').markets, 'markets'));
    const nextFundingMs = (Math.floor(receivedAtMs / HOUR_MS) + 1) * HOUR_MS;
    const { rows, refused } = readRows(
      listed.length,
      (i): Market | undefined => {
        const [ticker = '', market] = listed[i] ?? [];
        const fields = readObject(market, ticker);
        const instrument = parseInstrument(ticker, fields);
        return instrument && { fields, instrument };
      },
      MOST,
    );
    const tables = readTables(
      { rows: rows.filter(({ fields }) => (fields.oraclePrice ?? null) !== null), refused },
      {
        openInterest: parseOpenInterest,
        funding: (market) => parseFunding(market, nextFundingMs),
        prices: parsePrice,
        volumes: parseVolume,
      },
    );
    const instruments = rows.map(({ instrument }) => instrument);
    return { instruments, ...tables };
  },
};

interface Market {
  readonly fields: Fields;
  readonly instrument: Instrument;
}

/**
 * Markets of something else than a coin: the wire does not say what a market is of, so they are left out by name.
 * Seen trading in September 2026 [L]: silver and oil; the others are what such markets are called elsewhere [K].
 */
const NOT_COINS: Readonly<Record<string, string>> = {
  XAG: 'silver [L]',
  WTI: 'crude oil [L]',
  XAU: 'gold, by the ounce [K]',
  XPT: 'platinum [K]',
  XPD: 'palladium [K]',
  BRENT: 'crude oil [K]',
  NATGAS: 'natural gas [K]',
  COPPER: 'copper [K]',
};

const STATUSES = ['ACTIVE', 'PAUSED', 'CANCEL_ONLY', 'POST_ONLY', 'INITIALIZING', 'FINAL_SETTLEMENT'];

/**
 * A market's ticker, by which it is listed, is `BTC-USD`. A token that is known by its pool only (`NAME,uniswap_v3,0x…-USD` [K]) is left out:
 * whether it is the coin of that name on other venues is not known.
 */
function parseInstrument(ticker: string, fields: Fields): Instrument | undefined {
  const status = fields.status ?? 'ACTIVE';
  if (typeof status !== 'string' || !STATUSES.includes(status))
    throw new Malformed(`${ticker}.status is not known: ${JSON.stringify(status)}`);
  if (status !== 'ACTIVE' || ticker.includes(',')) return undefined;
  const coin = /^(.+)-USD$/.exec(ticker)?.[1];
  if (coin === undefined) throw new Malformed(`${ticker} is not a coin against USD`);
  if (coin in NOT_COINS) return undefined;
  return { symbol: ticker, coin, quote: 'USD', ...readTick(fields.tickSize) };
}

function readOracle({ fields, instrument: { symbol } }: Market): number {
  return readPositiveDecimal(fields.oraclePrice, `${symbol}.oraclePrice`);
}

function parseOpenInterest(market: Market): OpenInterest {
  const { coin, symbol } = market.instrument;
  const mark = readOracle(market);
  const coins = readDecimal(market.fields.openInterest, `${symbol}.openInterest`);
  if (coins < 0) throw new Malformed(`${symbol}.openInterest is negative: ${coins}`);
  return { coin, symbol, contracts: coins, coins, value: roundTo(coins * mark, 2) };
}

function parseFunding({ fields, instrument: { coin, symbol } }: Market, nextFundingMs: number): Funding {
  const rate = readDecimal(fields.nextFundingRate, `${symbol}.nextFundingRate`);
  return { coin, symbol, rate, periodHours: 1, nextFundingMs };
}

function parsePrice(market: Market): Price {
  const { coin, symbol } = market.instrument;
  const mark = readOracle(market);
  return { coin, symbol, mark, index: mark };
}

function parseVolume({ fields, instrument: { coin, symbol } }: Market): Volume {
  return { coin, symbol, value: readAmount(fields.volume24H, `${symbol}.volume24H`) };
}

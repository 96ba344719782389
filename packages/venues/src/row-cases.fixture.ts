/**
 * Where the rows of a source lie, and which fields each of its tables cannot do without. All other fields are optional:
 * without one of them a row stays.
 */
export interface RowCase {
  /** `<venue>:<source>`. */
  readonly source: string;
  /** Path to the list or map of rows in a body or frame; of a source about one thing, to that thing. */
  readonly at: string;
  /** Path to a second list, whose rows belong to those of the first by their place. */
  readonly beside?: string;
  /** The answer is one row. */
  readonly isOne?: true;
  readonly required: { readonly [table: string]: readonly string[] };
}

const spotPrice = (symbol: string, last: string) => ({ spotTickers: [symbol, last] });

/** Trades of markets: where their rows lie, and what a trade cannot do without. */
const tradeRows: readonly (readonly [publisher: string, at: string, required: readonly string[]])[] = [
  ['binance', '', ['e', 's', 'a', 'p', 'q', 'T', 'm']],
  ['binance-spot', '', ['e', 's', 'a', 'p', 'q', 'T', 'm']],
  ['bybit', 'data', ['s', 'S', 'p', 'v', 'T', 'i']],
  ['bybit-spot', 'data', ['s', 'S', 'p', 'v', 'T', 'i']],
  ['okx', 'data', ['px', 'sz', 'side', 'ts', 'tradeId']],
  ['okx-spot', 'data', ['px', 'sz', 'side', 'ts', 'tradeId']],
  ['bitget', 'data', ['i', 'p', 'v', 'S', 'T']],
  ['gate', 'result', ['contract', 'size', 'price', 'id']],
  ['mexc', 'data', ['p', 'v', 'T', 't']],
  ['dydx', 'contents.trades', ['id', 'side', 'price', 'size', 'createdAt']],
  ['kraken', 'trades', ['uid', 'side', 'time', 'qty', 'price', 'seq']],
  ['kraken-spot', 'data', ['symbol', 'side', 'price', 'qty', 'trade_id', 'timestamp']],
  ['coinbase', '', ['type', 'product_id', 'side', 'price', 'size', 'time', 'trade_id']],
];

export const rowCases: readonly RowCase[] = [
  ...tradeRows.map(([publisher, at, required]) => ({
    source: `${publisher}:market-trades`,
    at,
    required: { trades: required },
    ...(at === '' && { isOne: true as const }),
  })),
  {
    source: 'hyperliquid:metaAndAssetCtxs',
    at: '0.universe',
    beside: '1',
    required: {
      instruments: ['name'],
      openInterest: ['name'],
      funding: ['name'],
      prices: ['name'],
    },
  },
  {
    source: 'hyperliquid:metaAndAssetCtxs',
    at: '1',
    beside: '0.universe',
    required: {
      instruments: [],
      openInterest: ['openInterest', 'markPx'],
      funding: ['funding'],
      prices: ['markPx'],
    },
  },
  {
    source: 'hyperliquid:trades',
    at: 'data',
    required: { trades: ['coin', 'side', 'px', 'sz', 'time', 'tid'] },
  },
  {
    source: 'binance:exchangeInfo',
    at: 'symbols',
    required: { instruments: ['symbol', 'quoteAsset', 'baseAsset'] },
  },
  {
    source: 'binance:premiumIndex',
    at: '',
    required: {
      prices: ['symbol', 'markPrice'],
      funding: ['symbol', 'lastFundingRate', 'nextFundingTime'],
    },
  },
  { source: 'binance:openInterest', at: '', isOne: true, required: { openInterest: ['openInterest'] } },
  ...['globalLongShortAccountRatio', 'topLongShortPositionRatio'].map((name) => ({
    source: `binance:${name}-1h`,
    at: '0',
    isOne: true as const,
    required: { positioning: ['longAccount', 'timestamp'] },
  })),
  {
    source: 'binance:liquidations',
    at: 'o',
    isOne: true,
    required: { liquidations: ['s', 'S', 'z', 'ap', 'T'] },
  },
  {
    source: 'bybit:instruments',
    at: 'result.list',
    required: { instruments: ['symbol', 'quoteCoin', 'baseCoin'] },
  },
  {
    source: 'bybit:tickers',
    at: 'result.list',
    required: {
      openInterest: ['symbol'],
      funding: ['symbol', 'fundingRate', 'fundingIntervalHour', 'nextFundingTime'],
      prices: ['symbol', 'markPrice'],
    },
  },
  { source: 'bybit:liquidations', at: 'data', required: { liquidations: ['s', 'S', 'T', 'v', 'p'] } },
  { source: 'okx:instruments', at: 'data', required: { instruments: ['instId', 'ctVal'] } },
  {
    source: 'okx:open-interest',
    at: 'data',
    required: { openInterest: ['instId'] },
  },
  {
    source: 'okx:funding-rate',
    at: 'data',
    required: { funding: ['instId', 'fundingRate', 'fundingTime', 'nextFundingTime'] },
  },
  { source: 'okx:mark-price', at: 'data', required: { prices: ['instId', 'markPx'] } },
  { source: 'okx:index-tickers', at: 'data', required: { indexPrices: ['instId', 'idxPx'] } },
  { source: 'okx:liquidations', at: 'data', required: { liquidations: ['instId', 'details'] } },
  {
    source: 'okx:liquidations',
    at: 'data.0.details',
    required: { liquidations: ['side', 'bkPx', 'sz', 'ts'] },
  },
  ...['', 'usdc-'].map((prefix) => ({
    source: `bitget:${prefix}contracts`,
    at: 'data',
    required: { instruments: ['symbol', 'baseCoin'] },
  })),
  ...['', 'usdc-'].flatMap((prefix) => [
    {
      source: `bitget:${prefix}tickers`,
      at: 'data',
      required: { openInterest: ['symbol', 'holdingAmount', 'markPrice'], prices: ['symbol', 'markPrice'] },
    },
    {
      source: `bitget:${prefix}current-fund-rate`,
      at: 'data',
      required: { funding: ['symbol', 'fundingRate', 'fundingRateInterval', 'nextUpdate'] },
    },
  ]),
  {
    source: 'bitget:liquidations',
    at: 'data',
    required: { liquidations: ['symbol', 'side', 'price', 'amount', 'ts'] },
  },
  {
    source: 'gate:contracts',
    at: '',
    required: {
      instruments: ['name', 'quanto_multiplier'],
      openInterest: ['name', 'quanto_multiplier', 'position_size', 'mark_price'],
      funding: ['name', 'quanto_multiplier', 'funding_rate', 'funding_interval', 'funding_next_apply'],
      prices: ['name', 'quanto_multiplier', 'mark_price'],
    },
  },
  {
    source: 'gate:liquidations',
    at: 'result',
    required: { liquidations: ['contract', 'price', 'size', 'time'] },
  },
  { source: 'mexc:detail', at: 'data', required: { instruments: ['symbol', 'contractSize'] } },
  {
    source: 'mexc:funding_rate',
    at: 'data',
    required: { fundingPeriods: ['symbol', 'collectCycle', 'nextSettleTime'] },
  },
  {
    source: 'mexc:funding_rate-by-symbol',
    at: 'data',
    isOne: true,
    required: { fundingPeriods: ['collectCycle', 'nextSettleTime'] },
  },
  {
    source: 'mexc:ticker',
    at: 'data',
    required: {
      openInterest: ['symbol', 'holdVol', 'fairPrice'],
      funding: ['symbol', 'fundingRate'],
      prices: ['symbol', 'fairPrice'],
    },
  },
  {
    source: 'dydx:markets',
    at: 'markets',
    required: {
      instruments: [],
      openInterest: ['oraclePrice', 'openInterest'],
      funding: ['oraclePrice', 'nextFundingRate'],
      prices: ['oraclePrice'],
    },
  },
  {
    source: 'dydx:liquidations',
    at: 'contents.trades',
    required: { liquidations: ['type', 'side', 'price', 'size', 'createdAt'] },
  },
  { source: 'kraken:instruments', at: 'instruments', required: { instruments: ['symbol'] } },
  {
    source: 'kraken:tickers',
    at: 'tickers',
    required: {
      openInterest: ['symbol', 'markPrice', 'openInterest'],
      funding: ['symbol', 'markPrice', 'fundingRate'],
      prices: ['symbol', 'markPrice'],
    },
  },
  {
    source: 'kraken:liquidations',
    at: 'trades',
    required: { liquidations: ['type', 'side', 'price', 'qty', 'time'] },
  },
  ...['btc', 'eth', 'usdc'].map((book) => ({
    source: `deribit:${book}-book-summary`,
    at: 'result',
    required: { [`${book}Options`]: ['instrument_name', 'open_interest', 'underlying_price'] },
  })),
  { source: 'deribit:index-price', at: 'result', isOne: true, required: { indexPrices: ['index_price'] } },
  { source: 'coinbase:products', at: '', required: { instruments: ['id'] } },
  { source: 'coinbase:stats', at: '', required: { dayOpens: ['stats_24hour'] } },
  { source: 'coinbase:ticker', at: '', isOne: true, required: { spotTickers: ['price'] } },
  {
    source: 'coinbase:trades',
    at: '',
    isOne: true,
    required: { trades: ['type', 'product_id', 'side', 'price', 'size', 'time', 'trade_id'] },
  },
  { source: 'binance-spot:tickers', at: '', required: spotPrice('symbol', 'lastPrice') },
  { source: 'bybit-spot:tickers', at: 'result.list', required: spotPrice('symbol', 'lastPrice') },
  { source: 'okx-spot:tickers', at: 'data', required: spotPrice('instId', 'last') },
  { source: 'kraken-spot:asset-pairs', at: 'result', required: { instruments: ['wsname'] } },
  { source: 'kraken-spot:tickers', at: 'result', required: { spotTickers: ['c'] } },
  { source: 'upbit:tickers', at: '', required: spotPrice('market', 'trade_price') },
  ...['orderbook', 'asked-orderbook'].map((name) => ({
    source: `upbit:${name}`,
    at: '',
    required: { spotBooks: ['market', 'orderbook_units'] },
  })),
  { source: 'binance-spot:quotes', at: '', isOne: true, required: { quotes: ['s'] } },
  { source: 'bybit-spot:quotes', at: 'data', isOne: true, required: { quotes: ['s'] } },
  { source: 'okx-spot:quotes', at: 'data', required: { quotes: ['instId'] } },
  { source: 'kraken-spot:quotes', at: 'data', required: { quotes: ['symbol'] } },
  { source: 'polymarket-clob:book', at: '', isOne: true, required: { predictionBooks: [] } },
  {
    source: 'coinalyze:future-markets',
    at: '',
    required: { instruments: ['symbol', 'base_asset', 'is_perpetual', 'margined'] },
  },
  {
    source: 'dunamu:forex',
    at: '0',
    isOne: true,
    required: { exchangeRates: ['code', 'basePrice'] },
  },
  {
    source: 'frankfurter:rate',
    at: '',
    isOne: true,
    required: { exchangeRates: ['date', 'rate'] },
  },
  {
    source: 'bitcoindata:mvrv-zscore',
    at: '',
    isOne: true,
    required: { mvrvZScore: ['d', 'mvrvZscore'] },
  },
];

/** Sources that have no rows of the kind, and why. */
export const withoutRows: Readonly<Record<string, string>> = {
  'hyperliquid:books': 'a book is one row, and a level that is malformed makes it wrong',
  'binance:fundingInfo':
    'absent contracts pay every 8 hours: what a row without a name costs is in its fixtures',
  'okx:long-short-position-ratio-contract-top-trader-1h': 'a pair of values without names',
  'coinbase:quotes': 'the first message of a connection is not taken: its fixtures are read in order',
  'kraken-spot:ohlc': 'one value, made of bars that must be in order',
  'coinalyze:liquidation-history': 'a sum is complete, or there is none',
  'polymarket:events': 'questions lie within events',
  'coingecko:bitcoin-treasury': 'one row, which holds a list: what a company costs is in its own test',
  'coingecko:ethereum-treasury': 'as that of bitcoin',
  'bitcoindata:metric': 'one reading: the newest that is well-formed',
  'farside:bitcoin-etf-flows': 'a table of a web page',
  'farside:ethereum-etf-flows': 'a table of a web page',
};

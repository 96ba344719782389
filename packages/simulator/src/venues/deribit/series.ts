/** The options on one coin that settle in one currency. */
export interface Series {
  readonly coin: string;
  /** Prefix of names. */
  readonly prefix: string;
  /** Its book: the settlement currency. */
  readonly currency: 'BTC' | 'ETH' | 'USDC';
  readonly isLinear: boolean;
  readonly indexName: string;
  /** Coins of one contract, and the least that can be traded. */
  readonly contractSize: number;
  readonly lot: number;
  /** Tick of a premium, in the currency. */
  readonly tick: number;
  /** Decimals of index and forward. */
  readonly priceDecimals: number;
  /** How many times further apart the strikes are than those of BTC. */
  readonly coarseness: number;
  /** Approximate total. */
  readonly openInterestUsd: number;
  /** Between two orders on average: the busiest of the venue's have several times as many. */
  readonly tradedEveryMs: number;
}

/** Lots and contract sizes of SOL and XRP [D, M]. HYPE is there because the venue's book of USDC has many coins. */
export const SERIES: readonly Series[] = [
  inverse('BTC', 0.1, 38e9, 1),
  inverse('ETH', 1, 9e9, 1),
  linear('BTC', { contractSize: 0.01, lot: 0.01, tick: 5, priceDecimals: 2 }, 1.2e9, 8),
  linear('ETH', { contractSize: 0.1, lot: 0.1, tick: 0.2, priceDecimals: 2 }, 0.3e9, 8),
  linear('SOL', { contractSize: 10, lot: 10, tick: 0.01, priceDecimals: 4 }, 0.5e9, 3),
  linear('XRP', { contractSize: 1000, lot: 1000, tick: 0.0005, priceDecimals: 4 }, 0.2e9, 3),
  linear('HYPE', { contractSize: 10, lot: 10, tick: 0.01, priceDecimals: 4 }, 0.05e9, 8),
];

function inverse(coin: 'BTC' | 'ETH', lot: number, openInterestUsd: number, coarseness: number): Series {
  return {
    coin,
    prefix: coin,
    currency: coin,
    isLinear: false,
    indexName: `${coin.toLowerCase()}_usd`,
    contractSize: 1,
    lot,
    tick: 0.0001,
    priceDecimals: 2,
    coarseness,
    openInterestUsd,
    tradedEveryMs: coin === 'BTC' ? 20_000 : 40_000,
  };
}

function linear(
  coin: string,
  sizes: Pick<Series, 'contractSize' | 'lot' | 'tick' | 'priceDecimals'>,
  openInterestUsd: number,
  coarseness: number,
): Series {
  return {
    ...sizes,
    coin,
    prefix: `${coin}_USDC`,
    currency: 'USDC',
    isLinear: true,
    indexName: `${coin.toLowerCase()}_usdc`,
    coarseness,
    openInterestUsd,
    tradedEveryMs: 240_000,
  };
}

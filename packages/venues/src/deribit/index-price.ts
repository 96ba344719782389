import { readObject, readPositiveNumber } from '../reading.ts';
import { Malformed, type Lookup } from '../venue.ts';
import { readResult } from './answer.ts';

/** What the index of each coin is called: that of the options that it has. */
const INDEXES: ReadonlyMap<string, string> = new Map([
  ['BTC', 'btc_usd'],
  ['ETH', 'eth_usd'],
  ['SOL', 'sol_usdc'],
  ['XRP', 'xrp_usdc'],
]);

/**
 * The spot price that a coin's options are about, by coin; the answer does not say whose it is:
 * ```json
 * {"index_price":80814.47,"estimated_delivery_price":80814.47}
 * ```
 * Shape [D, M].
 * https://docs.deribit.com/api-reference/market-data/public-get_index_price
 */
export const indexPrice: Lookup = {
  name: 'index-price',
  polled: 'demand',
  everyMs: 30_000,
  gives: ['indexPrices'],
  weight: 1,
  // As long as a last good value is served; readers check its time.
  keepMs: 600_000,
  keys: (_known, asked) => asked.filter((coin) => INDEXES.has(coin)),
  request: (coin) => ({
    method: 'GET',
    path: `/api/v2/public/get_index_price?index_name=${INDEXES.get(coin)}`,
  }),
  parse(body, _receivedAtMs, _known, coin) {
    const symbol = INDEXES.get(coin);
    if (symbol === undefined) throw new Malformed(`${coin} has no index`);
    const { index_price } = readObject(readResult(body), 'result');
    return {
      indexPrices: [{ coin, symbol, index: readPositiveNumber(index_price, `${symbol}.index_price`) }],
    };
  },
};

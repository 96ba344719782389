import { present, readAmount, readObject, readOptional, readPositiveDecimal } from '../reading.ts';
import { alwaysPairs, readPrice, wantedPairs } from '../spot-pairs.ts';
import { type Lookup, Malformed } from '../venue.ts';

const EVERY_MS = 10_000;

/**
 * Bid, ask and last trade of one pair at one moment; the venue has no call for all pairs at once:
 * ```json
 * {"ask":"73369.19","bid":"73360.34","volume":"1207.50668151","trade_id":18502105,"price":"73367.8",
 *  "size":"0.00730812","time":"2024-03-13T11:10:41.270099Z","rfq_volume":"7.669923"}
 * ```
 * Shape [D, M]. `time` is that of the last trade and says nothing of bid and ask, which are of the moment of the answer.
 * `volume` is of 24 hours, in coins.
 * https://docs.cdp.coinbase.com/api-reference/exchange-api/rest-api/products/get-product-ticker
 */
export const ticker: Lookup = {
  name: 'ticker',
  polled: 'always',
  everyMs: EVERY_MS,
  isAligned: true,
  gives: ['spotTickers'],
  needs: ['instruments'],
  weight: 1,
  keys: wantedPairs,
  // A few hundred requested pairs take longer than the cadence: those that figures are made from do not wait.
  outdated: (known, nowMs) =>
    new Map(alwaysPairs(known).map((symbol) => [symbol, Math.floor(nowMs / EVERY_MS) * EVERY_MS])),
  // As long as a price is no old one.
  keepMs: 60_000,
  request: (symbol) => ({ method: 'GET', path: `/products/${encodeURIComponent(symbol)}/ticker` }),
  parse(body, _receivedAtMs, { instruments = [] }, symbol) {
    const instrument = instruments.find((one) => one.symbol === symbol);
    if (!instrument) throw new Malformed(`${symbol} is not listed`);
    const { coin, quote = '' } = instrument;
    const { price, bid, ask, volume } = readObject(body, 'ticker');
    const refused: string[] = [];
    const odd = (why: string): void => void refused.push(why);
    const row = {
      coin,
      symbol,
      quote,
      last: readPositiveDecimal(price, `${symbol}.price`),
      ...present({
        bid: readPrice(bid, `${symbol}.bid`, odd),
        ask: readPrice(ask, `${symbol}.ask`, odd),
        volume24hCoins: readOptional(volume, `${symbol}.volume`, readAmount, odd),
      }),
    };
    return { spotTickers: [row], ...(refused.length > 0 && { refused }) };
  },
};

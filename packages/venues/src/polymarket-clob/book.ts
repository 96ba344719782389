import type { PredictionBook, PredictionLevel } from '@crosstape/core';
import {
  type Fields,
  readArray,
  readIntegerText,
  readObject,
  readPositiveDecimal,
  readText,
  wrong,
} from '../reading.ts';
import { type Lookup, Malformed } from '../venue.ts';

/** In decimal digits, and of 256 bits. */
const TOKEN_ID = /^(0|[1-9]\d{0,77})$/;
const TOKEN_ID_END = 2n ** 256n;
/** With which statuses the venue says that there is no such book [M]. */
const NO_BOOK_STATUSES = [400, 404];
const NO_BOOK = /no orderbook exists|invalid token/i;

/**
 * The whole book of one outcome, by the id of its token:
 * ```json
 * {"market":"0x42d4…555f","asset_id":"5347…2350","timestamp":"1777541385018","hash":"bfb6…",
 *  "bids":[{"price":"0.001","size":"3147.19"},{"price":"0.002","size":"1432.11"}],
 *  "asks":[{"price":"0.999","size":"73.68"},{"price":"0.998","size":"7"}],
 *  "min_order_size":"5","tick_size":"0.001","neg_risk":false,"last_trade_price":"0.002"}
 * {"error":"No orderbook exists for the requested token id"}
 * ```
 * The best price of each side is the last [D, M]; elsewhere the documents show it first, so the order is not relied upon.
 * Sizes are shares. A price may come without its zero, `".48"` [L]. A side may be empty. `last_trade_price` may be that of the other outcome [M], and is not read.
 * https://docs.polymarket.com/api-reference/market-data/get-order-book
 */
export const book: Lookup = {
  name: 'book',
  polled: 'demand',
  everyMs: 5_000,
  gives: ['predictionBooks'],
  keepMs: 600_000,
  weight: 1,
  keys: (_known, asked) =>
    asked.filter((tokenId) => TOKEN_ID.test(tokenId) && BigInt(tokenId) < TOKEN_ID_END),
  request: (tokenId) => ({
    method: 'GET',
    path: `/book?token_id=${tokenId}`,
    acceptedStatuses: NO_BOOK_STATUSES,
  }),
  parse(body, receivedAtMs, _known, tokenId) {
    const answer = readObject(body, 'answer');
    return { predictionBooks: [readBook(answer, tokenId, receivedAtMs)] };
  },
  isAbsent: ({ predictionBooks = [] }) => predictionBooks.every(({ isListed }) => !isListed),
};

function readBook(answer: Fields, tokenId: string, receivedAtMs: number): PredictionBook {
  const { error, asset_id, timestamp } = answer;
  if (error !== undefined) {
    const why = readText(error, 'error');
    // An error of one token does not concern the others: as a refusal it would delay all of them.
    if (!NO_BOOK.test(why)) throw new Malformed(`Polymarket says: ${why}`);
    const nothing = { isListed: false, bids: [], asks: [], venueTs: receivedAtMs };
    return { coin: '', symbol: tokenId, ...nothing, receivedAtMs };
  }
  if ((asset_id ?? tokenId) !== tokenId)
    throw wrong(asset_id, 'asset_id', `the token that was requested, ${tokenId}`);
  return {
    coin: '',
    symbol: tokenId,
    isListed: true,
    bids: readSide(answer.bids, 'bids').toSorted(([a], [b]) => b - a),
    asks: readSide(answer.asks, 'asks').toSorted(([a], [b]) => a - b),
    venueTs: (timestamp ?? '') === '' ? receivedAtMs : readIntegerText(timestamp, 'timestamp'),
    receivedAtMs,
  };
}

/** One level that makes no sense is a whole book that cannot be trusted. */
function readSide(value: unknown, what: string): readonly PredictionLevel[] {
  return readArray(value ?? [], what).map((level, i) => {
    const { price, size } = readObject(level, `${what}[${i}]`);
    const priced = readPositiveDecimal(price, `${what}[${i}].price`);
    if (priced >= 1) throw wrong(price, `${what}[${i}].price`, 'below 1');
    return [priced, readPositiveDecimal(size, `${what}[${i}].size`)] as const;
  });
}

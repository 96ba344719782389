import type { VenueLiquidation } from '@crosstape/core';
import { jsonReader, readLiquidations } from '../frame-reader.ts';
import { type Fields, readArray, readInteger, readObject, readPositiveNumber, readText } from '../reading.ts';
import { type Feed, type Frame, type Known, Malformed } from '../venue.ts';
import { readEvent, subscription } from './events.ts';

/** The server wants a ping at least every 60 s [D]. */
const PING_EVERY_MS = 20_000;

/**
 * The trades of every contract; only those that closed a position by force are kept:
 * ```json
 * ← {"event":"info","version":1}
 * → {"event":"subscribe","feed":"trade","product_ids":["PF_XBTUSD"]}
 * ← {"event":"subscribed","feed":"trade","product_ids":["PF_XBTUSD"]}
 * ← {"feed":"trade_snapshot","product_id":"PF_XBTUSD","trades":[{"feed":"trade","product_id":"PF_XBTUSD", … }]}
 * ← {"feed":"trade","product_id":"PF_XBTUSD","uid":"05af78ac-a774-478c-a50c-8b9c234e071e","side":"sell",
 *     "type":"liquidation","seq":653355,"time":1612266317519,"qty":0.5,"price":34969.5}
 * ```
 * `type` is `fill`, `liquidation`, `assignment`, `termination` or `block` [T for the first two, K the others]; `side` is
 * the taker's [T], and the forced order takes. `qty` is in coins. The snapshot holds up to 100 trades of before [T].
 * https://docs.kraken.com/exchange/api-reference/futures-websocket/trade
 */
export const liquidations: Feed = {
  name: 'liquidations',
  path: '/ws/v1',
  sockets: 1,
  isWhole: true,
  // All trades come here, and there are always some.
  silentMaxMs: 10 * 60_000,
  isBursty: true,
  topics: (instruments) => instruments.map(({ symbol }) => symbol),
  // No limit is published; each contract is answered with its own snapshot.
  topicsPerFrame: 50,
  subscribe: (symbols) => subscription('subscribe', 'trade', symbols),
  unsubscribe: (symbols) => subscription('unsubscribe', 'trade', symbols),
  ping: { everyMs: PING_EVERY_MS },
  open: (known) => jsonReader((frame) => parseFrame(frame, known)),
};

function parseFrame(frame: Fields, known: () => Known): Frame {
  switch (frame.event ?? frame.feed) {
    case 'trade':
      return readForced(frame, [frame], known);
    case 'trade_snapshot':
      return readForced(frame, readArray(frame.trades, 'trades'), known);
    default:
      return readEvent(frame);
  }
}

/** The liquidations among the trades. Those of a snapshot need not name their contract: the snapshot does. */
function readForced(frame: Fields, trades: readonly unknown[], known: () => Known): Frame {
  const read = (row: unknown): VenueLiquidation | undefined => {
    const trade = readObject(row, 'trade');
    if (readText(trade.type, 'trade.type') !== 'liquidation') return undefined;
    return parseLiquidation(
      trade,
      readText(trade.product_id ?? frame.product_id, 'trade.product_id'),
      known(),
    );
  };
  return readLiquidations(trades, read, frame.feed === 'trade_snapshot');
}

function parseLiquidation(
  trade: Fields,
  symbol: string,
  { instruments = [] }: Known,
): VenueLiquidation | undefined {
  const instrument = instruments.find((one) => one.symbol === symbol);
  if (!instrument) return undefined;
  if (trade.side !== 'buy' && trade.side !== 'sell')
    throw new Malformed(`${symbol} trade.side is neither buy nor sell`);
  return {
    coin: instrument.coin,
    symbol,
    side: trade.side,
    price: readPositiveNumber(trade.price, `${symbol} trade.price`),
    size: readPositiveNumber(trade.qty, `${symbol} trade.qty`),
    venueTs: readInteger(trade.time, `${symbol} trade.time`),
    ...(typeof trade.uid === 'string' && { id: trade.uid }),
  };
}

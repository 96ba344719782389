import type { VenueTrade } from '@crosstape/core';
import { readArray, readInteger, readObject, MOST, readRows, readText, readTraded } from '../reading.ts';
import { type Feed, Malformed } from '../venue.ts';
import { ping, socketReader } from './socket.ts';

/**
 * The trades of every coin, one subscription each:
 * ```json
 * → {"method":"subscribe","subscription":{"type":"trades","coin":"BTC"}}
 * ← {"channel":"trades","data":[{"coin":"BTC","side":"B","px":"69997.0","sz":"0.83613","time":1730160006192,
 *     "hash":"0x40d1…f9dd","tid":229986151112628,"users":["0xbuyer…","0xseller…"]}]}
 * ```
 * The first `trades` message after a subscription is a back-fill of recent trades [T]. Two sockets carry the same
 * topics: the venue allows ten [D, M].
 * https://hyperliquid.gitbook.io/hyperliquid-docs/for-developers/api/websocket/subscriptions
 */
export const trades: Feed = {
  name: 'trades',
  path: '/ws',
  sockets: 2,
  topics: (instruments) => instruments.map((instrument) => instrument.symbol),
  subscribe: ([coin = '']) => subscription('subscribe', coin),
  unsubscribe: ([coin = '']) => subscription('unsubscribe', coin),
  ping,
  silentMaxMs: 60_000,
  open() {
    const backfilled = new Set<string>();
    return socketReader({
      channel: 'trades',
      data: (data) => {
        const reported = readArray(data, 'data');
        const { rows, refused } = readRows(reported.length, (i) => parseTrade(reported[i]), MOST);
        const coin = rows[0]?.coin;
        const isBackfill = coin !== undefined && !backfilled.has(coin);
        if (isBackfill) backfilled.add(coin);
        return { kind: 'trades', trades: rows, isBackfill, ...(refused.length > 0 && { refused }) };
      },
      topicOf: (coin) => {
        backfilled.delete(coin);
        return coin;
      },
    });
  },
};

function subscription(method: string, coin: string): string {
  return JSON.stringify({ method, subscription: { type: 'trades', coin } });
}

/** `side` is the aggressor's: `B` bought, `A` sold. `users` is `[buyer, seller]`, absent in old captures [S, T]. */
function parseTrade(row: unknown): VenueTrade {
  const trade = readObject(row, 'trade');
  const coin = readText(trade.coin, 'trade.coin');
  if (trade.side !== 'B' && trade.side !== 'A') throw new Malformed(`${coin} trade.side is neither B nor A`);
  const side = trade.side === 'B' ? 'buy' : 'sell';
  const taker = Array.isArray(trade.users) ? trade.users[side === 'buy' ? 0 : 1] : undefined;
  return {
    coin,
    side,
    price: readTraded(trade.px, 'trade.px', coin),
    size: readTraded(trade.sz, 'trade.sz', coin),
    venueTs: readInteger(trade.time, 'trade.time', coin),
    tid: readInteger(trade.tid, 'trade.tid', coin),
    taker: typeof taker === 'string' ? taker : undefined,
  };
}

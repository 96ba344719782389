import { changedQuote, forgetQuote, QUOTES_EVERY_MS } from '../changed-quote.ts';
import { publicSocketOf } from '../okx/public-socket.ts';
import { findPair, printTicker } from './tickers.ts';
import { findTrades } from './trades.ts';

const CHANNEL = 'tickers';

/**
 * Trades, books and tickers of pairs.
 * https://www.okx.com/docs-v5/en/#order-book-trading-market-data-ws-tickers-channel
 */
export const publicSocket = publicSocketOf({
  find: findTrades,
  topicOf({ market }, arg) {
    const instId = String(arg['instId']);
    return arg['channel'] === CHANNEL && findPair(market, instId) ? instId : undefined;
  },
  onSubscribe: forgetQuote,
  everyMs: QUOTES_EVERY_MS,
  push(session) {
    for (const instId of session.topics) {
      const pair = findPair(session.market, instId);
      if (!pair || !changedQuote(session, instId, pair)) continue;
      const row = printTicker(pair, session.market, session.nowMs());
      session.send(JSON.stringify({ arg: { channel: CHANNEL, instId }, data: [row] }));
    }
  },
});

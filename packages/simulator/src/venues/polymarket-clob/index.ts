import { hashText, roundTo } from '@crosstape/core';
import { plainDecimal } from '../plain-decimal.ts';
import { isClosed, type SimulatedQuestion } from '../polymarket/event-list.ts';
import { type BookAt, bookOf, chanceOf, ladderOf, type Level } from '../polymarket/question-book.ts';
import { eventsOf } from '../polymarket/rest.ts';
import { conditionIdOf } from '../polymarket/rows.ts';
import { simulateVenue } from '../run-wire.ts';
import { type Question, Reply, type WireLimit, type WireRoute } from '../wire.ts';

const SPAN_MS = 10_000;
const NO_BOOK = { error: 'No orderbook exists for the requested token id' };

/** Limits of all calls, and of those for one book, price or midpoint [D]. */
const limits: readonly WireLimit[] = [
  { name: 'requests', spanMs: SPAN_MS, max: 9_000 },
  { name: 'books', spanMs: SPAN_MS, max: 1_500 },
];

const routes: readonly WireRoute[] = [
  route('/book', (asked) => printBook(asked)),
  route('/midpoint', ({ book }) => {
    const [bid, ask] = [book.bids[0]?.price ?? 0, book.asks[0]?.price ?? 1];
    return { mid: plainDecimal((bid + ask) / 2, 4) };
  }),
  route('/spread', ({ book }) => {
    const [bid, ask] = [book.bids[0]?.price ?? 0, book.asks[0]?.price ?? 1];
    return { spread: plainDecimal(ask - bid, 3) };
  }),
  route('/last-trade-price', ({ lastPrice }) => ({ price: plainDecimal(lastPrice, 3), side: 'BUY' })),
  {
    path: '/time',
    costs: () => ({ requests: 1 }),
    answer: ({ nowMs }) => new Reply(Math.floor(nowMs / 1_000)),
  },
];

/** Polymarket's order books. The answer to a caller over the limits is a guess [K]. */
export const polymarketClob = simulateVenue({
  shape: { id: 'polymarket-clob', share: 0, basisBps: 0, latencyMs: 0, listed: 0 },
  routes,
  limits,
  overLimit: () => ({ status: 429, type: 'text/plain', body: 'error code: 1015' }),
  notFound: { status: 404, type: 'text/plain', body: '404 page not found' },
  sockets: [],
});

/** The requested outcome of a question. */
interface Asked {
  readonly question: SimulatedQuestion;
  readonly tokenId: string;
  readonly book: BookAt;
  /** Price of the question's first outcome, whichever was requested [M]. */
  readonly lastPrice: number;
}

function route(path: string, print: (asked: Asked) => object): WireRoute {
  return {
    path,
    costs: () => ({ requests: 1, books: 1 }),
    answer(question) {
      const tokenId = question.query.get('token_id') ?? '';
      if (!/^\d+$/.test(tokenId)) return new Reply({ error: 'Invalid token id' }, 400);
      const asked = find(question, tokenId);
      return asked ? new Reply(print(asked)) : new Reply(NO_BOOK, 404);
    },
  };
}

/** A book is removed once its question is resolved, and does not exist while it is new. */
function find({ market, nowMs }: Question, tokenId: string): Asked | undefined {
  const list = eventsOf(market.market);
  const question = list.byToken(tokenId, nowMs);
  if (!question || question.state === 'new' || isClosed(question.event, nowMs)) return undefined;
  const outcome = question.tokenIds.indexOf(tokenId);
  const best = ladderOf(list, question, nowMs, 1).bids[0]?.price;
  const lastPrice = best ?? roundTo(chanceOf(list, question, nowMs), 3);
  return { question, tokenId, book: bookOf(list, question, outcome, nowMs), lastPrice };
}

/** https://docs.polymarket.com/api-reference/market-data/get-order-book [D, C]: the best price comes last [D, M]. */
function printBook({ question, tokenId, book, lastPrice }: Asked): object {
  const { ts, bids, asks } = book;
  // Captured books print prices with their zero or without it, ".48" [L].
  const hasZero = hashText(tokenId) % 2 === 0;
  const print = ({ price, size }: Level): object => ({
    price: hasZero ? plainDecimal(price, 3) : plainDecimal(price, 3).replace(/^0\./, '.'),
    size: plainDecimal(size, 2),
  });
  const hash = (hashText(`${tokenId} ${ts}`) >>> 0).toString(16).padStart(8, '0').repeat(5);
  return {
    market: conditionIdOf(question),
    asset_id: tokenId,
    timestamp: String(ts),
    hash,
    bids: bids.toReversed().map(print),
    asks: asks.toReversed().map(print),
    min_order_size: '5',
    tick_size: '0.001',
    neg_risk: false,
    last_trade_price: plainDecimal(lastPrice, 3),
  };
}

import { isFields } from '../../json.ts';
import type { TapeDeal } from '../../market/tape.ts';
import type { VenueMarket } from '../../market/venue-market.ts';
import { plainDecimal } from '../plain-decimal.ts';
import type { TradeMarket, WireDeal } from '../trade-ledger.ts';
import { wholeOf } from '../whole-number.ts';
import type { Question, Reply, Session, TradeFrame } from '../wire.ts';
import type { Call } from './call.ts';
import { failure, success } from './envelope.ts';
import { contractsOf, liveListings, printPrice } from './listing.ts';

const TRADE_CHANNEL = 'trades';
const SMALLEST_LOT = 0.01;
const TRADES_MAX = 500;
const TRADES_DEFAULT = 100;
const HISTORY_MAX = 100;

/** How a market's trades are printed. */
export interface OkxTrades {
  readonly market: TradeMarket;
  readonly price: (deal: TapeDeal) => string;
  /** Size of one fill, with this many decimals. */
  readonly size: (deal: TapeDeal) => number;
  readonly sizeDecimals: number;
  /** Value of a contract (`ctVal`); 1 for pairs. */
  readonly contractSize: number;
}

export type FindTrades = (market: VenueMarket, instId: string) => OkxTrades | undefined;

/** Only contracts in USDT are closed by force here. */
export const findSwap: FindTrades = (market, instId) => {
  const listing = liveListings(market).find((one) => one.instId === instId);
  if (!listing) return undefined;
  const { coin, part, quote } = listing;
  return {
    market: {
      symbol: instId,
      tape: market.tape({ symbol: instId, coin, part, takes: () => quote === 'USDT' }),
    },
    price: ({ price }) => printPrice(price, listing),
    size: ({ size, price }) => Math.max(SMALLEST_LOT, contractsOf(size, price, listing)),
    sizeDecimals: 2,
    contractSize: listing.ctVal,
  };
};

export function tradeTopic(instId: string): string {
  return `${TRADE_CHANNEL} ${instId}`;
}

/** The contract or pair of a subscription to trades. */
export function tradesArgOf(arg: unknown): string | undefined {
  return isFields(arg) && arg['channel'] === TRADE_CHANNEL ? String(arg['instId']) : undefined;
}

/**
 * {"arg":{"channel":"trades","instId":"BTC-USDT-SWAP"},"data":[{"instId":"BTC-USDT-SWAP","tradeId":"130639474",
 *  "px":"42219.9","sz":"12","side":"buy","ts":"1630048897897","count":"3","source":"0","seqId":1234}]}
 * Fills of one order at one price are one row: `count` says how many, `tradeId` is the last one's. A message has one row.
 * https://www.okx.com/docs-v5/en/#order-book-trading-market-data-ws-trades-channel [D]
 */
export function follow(session: Session, printed: OkxTrades): void {
  const { market } = printed;
  const arg = { channel: TRADE_CHANNEL, instId: market.symbol };
  const join = (deals: readonly WireDeal[]): readonly (readonly WireDeal[])[] => joined(printed, deals);
  const print = (deals: readonly WireDeal[]): readonly TradeFrame[] =>
    join(deals).map((fills) => ({
      text: JSON.stringify({ arg, data: [printJoined(printed, fills)] }),
      deals: fills,
    }));
  session.follow(tradeTopic(market.symbol), { market, print, join });
}

/** Fills that follow one another, of the same order and price. */
function joined({ price }: OkxTrades, deals: readonly WireDeal[]): readonly (readonly WireDeal[])[] {
  const rows: WireDeal[][] = [];
  for (const deal of deals) {
    const row = rows.at(-1);
    const before = row?.at(-1);
    const belongs =
      before?.order === deal.order && before.id + 1 === deal.id && price(before) === price(deal);
    if (row && belongs) row.push(deal);
    else rows.push([deal]);
  }
  return rows;
}

function printJoined(printed: OkxTrades, fills: readonly WireDeal[]): object {
  const last = fills.at(-1);
  if (!last) return {};
  const size = fills.reduce((sum, fill) => sum + printed.size(fill), 0);
  return {
    ...printRow(printed, last),
    sz: plainDecimal(size, printed.sizeDecimals),
    count: String(fills.length),
    seqId: last.id,
  };
}

function printRow(printed: OkxTrades, deal: WireDeal): object {
  return {
    instId: printed.market.symbol,
    tradeId: String(deal.id),
    px: printed.price(deal),
    sz: plainDecimal(printed.size(deal), printed.sizeDecimals),
    side: deal.side,
    ts: String(deal.ts),
    source: '0',
  };
}

export function tradeCalls(find: FindTrades): readonly Call[] {
  const answer = (read: typeof readNewest) => (question: Question) => answerTrades(question, read, find);
  return [
    { path: '/api/v5/market/trades', max: 100, answer: answer(readNewest) },
    { path: '/api/v5/market/history-trades', max: 20, answer: answer(readHistory) },
  ];
}

/** One row per fill, newest first. */
function answerTrades(question: Question, read: typeof readNewest, find: FindTrades): Reply {
  const instId = question.query.get('instId');
  if (!instId) return failure('50014', 'Parameter instId can not be empty.', 400);
  const printed = find(question.market, instId);
  if (!printed) return failure('51001', "Instrument ID, Instrument ID code, or Spread ID doesn't exist.");
  const deals = read(question, printed.market);
  if (typeof deals === 'string') return failure('51000', `Parameter ${deals} error`, 400);
  return success(deals.toReversed().map((deal) => printRow(printed, deal)));
}

function readNewest(question: Question, market: TradeMarket): readonly WireDeal[] | string {
  const limit = wholeOf(question.query, 'limit') ?? TRADES_DEFAULT;
  return isLimit(limit, TRADES_MAX) ? question.trades.newest(market, limit) : 'limit';
}

/**
 * By ids (`type` 1) or times (2): `after` asks for older ones, `before` for newer ones, the newest of them are sent.
 * https://www.okx.com/docs-v5/en/#order-book-trading-market-data-get-trades-history [D; the newest first: K]
 */
function readHistory(question: Question, market: TradeMarket): readonly WireDeal[] | string {
  const { trades, query } = question;
  const limit = wholeOf(query, 'limit') ?? HISTORY_MAX;
  if (!isLimit(limit, HISTORY_MAX)) return 'limit';
  const type = query.get('type') ?? '1';
  if (type !== '1' && type !== '2') return 'type';
  const [after, before] = [wholeOf(query, 'after'), wholeOf(query, 'before')];
  if (Number.isNaN(after)) return 'after';
  if (Number.isNaN(before)) return 'before';
  if (type === '2') {
    const older = trades.newest(market, limit, after);
    return older.filter(({ ts }) => before === undefined || ts > before);
  }
  const older = after === undefined ? trades.newest(market, limit) : trades.beforeId(market, after, limit);
  return older.filter(({ id }) => before === undefined || id > before);
}

function isLimit(limit: number, max: number): boolean {
  return limit >= 1 && limit <= max;
}

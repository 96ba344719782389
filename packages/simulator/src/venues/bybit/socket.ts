import type { VenueDeal } from '../../market/venue-market.ts';
import type { Session } from '../wire.ts';
import { BOOK_TOPIC, followBook } from './books.ts';
import { type Contract, contractsOf } from './contracts.ts';
import { publicSocketOf, type SendReply } from './public-socket.ts';
import { contractTrades, follow, TRADE_TOPIC } from './trades.ts';

const TOPIC = 'allLiquidation.';
/** Over all topics of a connection [D]. */
const ARGS_LENGTH_MAX = 21_000;

export const socket = publicSocketOf({ path: '/v5/public/linear', subscribe, everyMs: 500, push });

/** All of a request's topics or none. The texts of refusals are a guess [K]. */
function subscribe(args: readonly string[], session: Session, reply: SendReply): void {
  const contracts = contractsOf(session.market, session.nowMs());
  const bySymbol = new Map(contracts.map((contract) => [contract.symbol, contract]));
  const contractOf = (arg: string): Contract | undefined => {
    const prefix = [TOPIC, TRADE_TOPIC, BOOK_TOPIC].find((one) => arg.startsWith(one));
    return prefix === undefined ? undefined : bySymbol.get(arg.slice(prefix.length));
  };
  const unknown = args.find((arg) => !contractOf(arg));
  if (unknown !== undefined) return reply(false, `error:handler not found,topic:${unknown}`);
  const repeated = args.find((arg) => session.topics.has(arg));
  if (repeated !== undefined) return reply(false, `error:already subscribed,topic:${repeated}`);
  const length = [...session.topics, ...args].reduce((sum, arg) => sum + arg.length, 0);
  if (length > ARGS_LENGTH_MAX) {
    session.violate('args');
    return reply(false, 'error:args too long');
  }
  reply(true, '');
  for (const arg of args) {
    const contract = contractOf(arg);
    const printed = contract?.status === 'Trading' && contractTrades(session.market, contract);
    if (printed && arg.startsWith(TRADE_TOPIC)) follow(session, printed);
    else if (printed && arg.startsWith(BOOK_TOPIC)) followBook(session, printed);
    else session.topics.add(arg);
  }
}

/**
 * {"topic":"allLiquidation.ROSEUSDT","type":"snapshot","ts":1739502303204,
 *  "data":[{"T":1739502302929,"s":"ROSEUSDT","S":"Sell","v":"20000","p":"0.04499"}]} [D]
 */
function push(session: Session, fromMs: number, toMs: number): void {
  const skewMs = session.skewMs();
  for (const contract of contractsOf(session.market, toMs)) {
    const topic = `${TOPIC}${contract.symbol}`;
    // Forced orders happen on the larger contract of a coin.
    if (contract.quoteCoin !== 'USDT' || !session.topics.has(topic)) continue;
    const deals = session.market.liquidations(contract.coin, fromMs, toMs);
    if (deals.length === 0) continue;
    const data = deals.map((deal) => printLiquidation(deal, contract, skewMs));
    session.send(JSON.stringify({ topic, type: 'snapshot', ts: session.nowMs(), data }));
  }
}

/** `S` is the position's side: a forced sale closes a `Buy`. */
function printLiquidation(deal: VenueDeal, contract: Contract, skewMs: number): Record<string, unknown> {
  const { symbol, sizeDecimals, priceDecimals } = contract;
  return {
    T: deal.ts + skewMs,
    s: symbol,
    S: deal.side === 'sell' ? 'Buy' : 'Sell',
    v: Math.max(deal.size, 10 ** -sizeDecimals).toFixed(sizeDecimals),
    p: deal.price.toFixed(priceDecimals),
  };
}

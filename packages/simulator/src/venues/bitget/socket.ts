import type { VenueDeal } from '../../market/venue-market.ts';
import { type Fields, isFields } from '../../json.ts';
import type { Session, WireSocket } from '../wire.ts';
import { type Listing, listingOf, printPrice } from './listing.ts';

const PUSH_EVERY_MS = 1000;
const LIQUIDATION = 'liquidation';
const SIMULATED_TYPE = 'usdt-futures';
const INSTRUMENT_TYPES: readonly unknown[] = [SIMULATED_TYPE, 'usdc-futures', 'coin-futures'];
const AMOUNT_DECIMALS = 5;

/**
 * The third version of the public socket, of which only the liquidations are spoken [T]. Connections [K]: 100 at once
 * and 300 in five minutes per IP, 10 messages a second, cut off after two silent minutes.
 */
export const publicSocket: WireSocket = {
  path: '/v3/ws/public',
  socketsMax: 100,
  socketsPerMinute: 60,
  messagesPerMinute: 600,
  silentMaxMs: 120_000,
  everyMs: PUSH_EVERY_MS,
  hear(text, session) {
    if (text === 'ping') return session.send('pong');
    const request = parse(text);
    const args = request?.['args'];
    if (!request || !Array.isArray(args)) return refuse(session, undefined, 30003, 'Invalid op');
    for (const arg of args) answer(request['op'], arg, session);
  },
  push(session, fromMs, toMs) {
    if (!session.topics.has(SIMULATED_TYPE)) return;
    const skewMs = session.nowMs() - toMs;
    const data = session.market.coins.flatMap((coin) =>
      printLiquidations(listingOf(coin), session.market.liquidations(coin, fromMs, toMs), skewMs),
    );
    if (data.length === 0) return;
    const arg = { instType: SIMULATED_TYPE, topic: LIQUIDATION };
    session.send(JSON.stringify({ action: 'update', arg, data, ts: session.nowMs() }));
  },
};

function parse(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function answer(op: unknown, arg: unknown, session: Session): void {
  const { instType, topic } = isFields(arg) ? arg : {};
  if (op !== 'subscribe' && op !== 'unsubscribe') return refuse(session, arg, 30003, 'Invalid op');
  if (topic !== LIQUIDATION || typeof instType !== 'string' || !INSTRUMENT_TYPES.includes(instType))
    return refuse(session, arg, 30001, `${JSON.stringify(arg)} doesn't exist`);
  if (op === 'subscribe') session.topics.add(instType);
  else session.topics.delete(instType);
  session.send(JSON.stringify({ event: op, arg }));
}

/** {"event":"error","arg":{…},"code":30001,"msg":"… doesn't exist"} */
function refuse(session: Session, arg: unknown, code: number, msg: string): void {
  session.send(JSON.stringify({ event: 'error', arg, code, msg }));
}

/**
 * {"symbol":"APEUSDT","side":"buy","price":"0.1649","amount":"13.70319","ts":"1777358886549"}: `side` is the position's,
 * `amount` in USDT [T]. The feed is aggregated: here to one row for each contract, side and push [K].
 */
function printLiquidations(listing: Listing, deals: readonly VenueDeal[], skewMs: number): readonly object[] {
  return (['buy', 'sell'] as const).flatMap((order) => {
    const forced = deals.filter((deal) => deal.side === order);
    const last = forced.at(-1);
    if (!last) return [];
    const notional = forced.reduce((sum, { price, size }) => sum + price * size, 0);
    const size = forced.reduce((sum, deal) => sum + deal.size, 0);
    return [
      {
        symbol: listing.symbol,
        side: order === 'buy' ? 'sell' : 'buy',
        price: printPrice(notional / size, listing),
        amount: notional.toFixed(AMOUNT_DECIMALS),
        ts: String(last.ts + skewMs),
      },
    ];
  });
}

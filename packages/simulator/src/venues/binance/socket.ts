import type { VenueDeal } from '../../market/venue-market.ts';
import type { Session, WireSocket } from '../wire.ts';
import { contractsOf, type Listing } from './listing.ts';
import { printEvent, streamSocketsOf } from './stream-sockets.ts';
import { contractTrades } from './trades.ts';

const ALL = '!forceOrder@arr';
/** Coins that also have a coin-margined contract, whose forced orders are on the same stream. */
const COIN_MARGINED: readonly string[] = ['BTC', 'ETH'];
const COIN_MARGINED_CONTRACT_USD = 100;

/**
 * Streams are served below `/market` and `/public`. A subscription on another path than the stream's own is confirmed and
 * stays silent; forced orders and trades are below `/market`, books below `/public`. A connection takes 10 messages a
 * second [D].
 * https://developers.binance.com/docs/derivatives/usds-margined-futures/websocket-market-streams
 */
export const streamSockets: readonly WireSocket[] = streamSocketsOf({
  paths: ['/market/*', '/public/*', '/ws*', '/stream*'],
  messagesPerSecond: 10,
  everyMs: 1000,
  find({ path, market }, symbol, kind) {
    const isServed = path.startsWith(kind === 'book' ? '/public/' : '/market/');
    return isServed ? contractTrades(market, symbol) : undefined;
  },
  push(session, fromMs, toMs) {
    if (session.path.startsWith('/market/')) pushForced(session, fromMs, toMs);
  },
});

/** For each contract the latest of the second, if there was one [D]. */
function pushForced(session: Session, fromMs: number, toMs: number): void {
  const { topics, market } = session;
  if (![...topics].some((topic) => topic.endsWith('@forceOrder') || topic === ALL)) return;
  for (const coin of market.coins) {
    const latest = market.liquidations(coin, fromMs, toMs).at(-1);
    if (!latest) continue;
    const [listing] = contractsOf(coin);
    emit(session, `${listing.symbol.toLowerCase()}@forceOrder`, printOrder(listing, latest, toMs));
    if (COIN_MARGINED.includes(coin.name))
      emit(
        session,
        `${coin.name.toLowerCase()}usd_perp@forceOrder`,
        printCoinMargined(listing, latest, toMs),
      );
  }
}

function emit(session: Session, own: string, data: object): void {
  for (const stream of [own, ALL]) {
    if (!session.topics.has(stream)) continue;
    session.send(printEvent(session, stream, data));
  }
}

/**
 * {"e":"forceOrder","E":1568014460893,"o":{"s":"BTCUSDT","S":"SELL","o":"LIMIT","f":"IOC","q":"0.014","p":"9910",
 *  "ap":"9910","X":"FILLED","l":"0.014","z":"0.014","T":1568014460893},"st":1}; `st` since the coin-margined ones came [D].
 */
function printOrder({ symbol, priceDecimals, coin }: Listing, deal: VenueDeal, nowMs: number): object {
  const size = Math.max(deal.size, 10 ** -coin.sizeDecimals).toFixed(coin.sizeDecimals);
  return printFrame(symbol, deal, { size, priceDecimals, nowMs, st: 1 });
}

/** `q` is in contracts of this many dollars there. */
function printCoinMargined({ coin, priceDecimals }: Listing, deal: VenueDeal, nowMs: number): object {
  const size = Math.max(1, (deal.size * deal.price) / COIN_MARGINED_CONTRACT_USD).toFixed(0);
  return printFrame(`${coin.name}USD_PERP`, deal, { size, priceDecimals, nowMs, st: 2 });
}

interface Printed {
  readonly size: string;
  readonly priceDecimals: number;
  readonly nowMs: number;
  readonly st: 1 | 2;
}

function printFrame(symbol: string, deal: VenueDeal, { size, priceDecimals, nowMs, st }: Printed): object {
  // The order's own price is the bankruptcy price: worse than its fill.
  const worst = deal.price * (deal.side === 'sell' ? 0.995 : 1.005);
  return {
    e: 'forceOrder',
    E: nowMs,
    o: {
      s: symbol,
      S: deal.side.toUpperCase(),
      o: 'LIMIT',
      f: 'IOC',
      q: size,
      p: worst.toFixed(priceDecimals),
      ap: deal.price.toFixed(priceDecimals),
      X: 'FILLED',
      l: size,
      z: size,
      T: deal.ts,
    },
    st,
  };
}

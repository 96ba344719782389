import { printPrice, type SpotPair, spotMarketOf } from './spot-pairs.ts';
import type { Session } from './wire.ts';

/** How often sockets look for changes of quotes. The venues push within 10 to 100 ms [D], which is not needed here. */
export const QUOTES_EVERY_MS = 500;

/** Best bid, best ask and last trade as printed by the venue. */
export interface PrintedQuote {
  readonly bid: string;
  readonly ask: string;
  readonly last: string;
}

export function quoteOf(session: Session, pair: SpotPair): PrintedQuote {
  const { bid, ask, last } = spotMarketOf(session.market).quote(pair, session.nowMs());
  return { bid: printPrice(bid, pair), ask: printPrice(ask, pair), last: printPrice(last, pair) };
}

/** The quote of a pair if it is another than the client was last sent under this topic. */
export function changedQuote(session: Session, topic: string, pair: SpotPair): PrintedQuote | undefined {
  const quote = quoteOf(session, pair);
  const text = `${quote.bid} ${quote.ask}`;
  const key = `quote ${topic}`;
  if (session.memory.get(key) === text) return undefined;
  session.memory.set(key, text);
  return quote;
}

/** Called when a client leaves a topic: the next subscription begins with a quote. */
export function forgetQuote(session: Session, topic: string): void {
  session.memory.delete(`quote ${topic}`);
}

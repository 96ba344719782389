import type { Market } from './market/market.ts';
import { VENUE_SIMULATORS } from './venues/index.ts';
import type { Following } from './venues/wire.ts';

/** Trades read at a time. */
const TRADES_PER_READ = 2_048;

/** How a client subscribes to the trades of a market. */
export interface TradeSubscription {
  /** Path of the socket. */
  readonly path: string;
  /** Of the request that opens it: some venues send other fields to clients that ask for them. */
  readonly headers: Readonly<Record<string, string>>;
  /** The first message on it. */
  readonly message: string;
}

/**
 * The frames with the trades of one market that a client with this subscription would have been sent with
 * `fromMs <= ts < toMs`, oldest first; `undefined` when the venue has no such market.
 */
export function tradeFrames(
  market: Market,
  venue: string,
  subscription: TradeSubscription,
): ((fromMs: number, toMs: number) => Iterable<string>) | undefined {
  const simulator = VENUE_SIMULATORS.find(({ id }) => id === venue);
  const following = simulator?.follow?.(market, subscription);
  return following && ((fromMs, toMs) => framesOf(following, fromMs, toMs));
}

function* framesOf({ market: { tape }, print }: Following, fromMs: number, toMs: number): Iterable<string> {
  const end = tape.nextAt(toMs);
  for (let next = tape.nextAt(fromMs); next < end; ) {
    const deals = tape.read(next, Math.min(end, next + TRADES_PER_READ));
    next += deals.length;
    // Fills of one order are one trade on some venues: they are printed together.
    const last = deals.at(-1);
    const rest = last && next < end ? tape.read(next, tape.nextAt(last.ts + 1)) : [];
    next += rest.length;
    for (const { text } of print([...deals, ...rest].map((deal) => ({ ...deal, id: deal.number }))))
      yield text;
  }
}

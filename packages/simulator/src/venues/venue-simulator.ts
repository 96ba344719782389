import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '@crosstape/core';
import type { FaultBoard } from '../fault-board.ts';
import type { Market } from '../market/market.ts';
import type { MinuteBars } from '../market/minute-bars.ts';
import type { VenueShape } from '../market/venue-market.ts';
import type { VenueSocket } from '../venue-socket.ts';
import type { WireSides } from './order-book.ts';
import type { TradeLedgers } from './trade-ledger.ts';
import type { Following } from './wire.ts';
import type { TradeSubscription } from '../trade-frames.ts';

export interface VenueRequest {
  readonly method: string;
  /** Without the venue's prefix. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
}

/** A client's handshake. */
export type Handshake = Pick<VenueRequest, 'path' | 'query' | 'headers'>;

export interface VenueAnswer {
  readonly status: number;
  readonly type: 'application/json' | 'text/plain' | 'text/html';
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Called once it is on its way, unless a fault has changed it. */
  readonly sent?: () => void;
}

/** Dependencies of a simulated venue. */
export interface VenueContext {
  readonly market: Market;
  readonly bars: MinuteBars;
  readonly clock: Clock;
  readonly faults: FaultBoard;
  /** How many contracts venues have at least, by their ids. */
  readonly contracts?: Readonly<Record<string, number>> | undefined;
}

/** A venue while it runs. */
export interface RunningVenue {
  answer(request: VenueRequest): Promise<VenueAnswer>;
  /** The message for a caller over the limit. */
  readonly overLimit: VenueAnswer;
  /** Why a socket may not be opened now, if so; otherwise the socket is counted. */
  refuse(path: string): VenueAnswer | undefined;
  accept(socket: VenueSocket, handshake: Handshake): void;
  /** Sent trades; absent if they are not counted. */
  readonly ledgers?: TradeLedgers;
  /** The books as they were last sent to a client, by symbol. */
  readonly books?: ReadonlyMap<string, WireSides>;
  /** Adds this many trades to the next block. Throws when the coin is not listed. */
  burst(coin: string, trades: number): void;
  /** How often each limit of the venue was broken, by the name of the limit. */
  readonly violations: Readonly<Record<string, number>>;
  readonly connections: number;
  readonly subscriptions: number;
  /** Time whose events were not sent because the whole program was blocked. */
  readonly skippedMs: number;
  stop(): void;
}

/** A venue's wire protocol over the simulated market: a plain value. */
export interface VenueSimulator {
  /** Also the prefix of its paths. */
  readonly id: string;
  /** How it sees the market; absent for the primary venue, whose market it is. */
  readonly shape?: VenueShape;
  start(context: VenueContext): RunningVenue;
  /** The trade frames of a subscription, without a socket. */
  follow?(market: Market, subscription: TradeSubscription): Following | undefined;
}

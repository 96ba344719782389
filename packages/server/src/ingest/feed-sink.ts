import type { Frame } from '@crosstape/venues';

/** A frame that carries market data, whose numbers are all finite. */
export type DataFrame = Exclude<Frame, { readonly kind: 'heartbeat' | 'subscribed' | 'ignored' | 'refused' }>;

const dataKinds: ReadonlySet<Frame['kind']> = new Set([
  'trades',
  'marketTrades',
  'liquidations',
  'book',
  'bookChange',
  'bookGap',
  'quotes',
]);

export function isData(frame: Frame): frame is DataFrame {
  return dataKinds.has(frame.kind);
}

interface FeedName {
  readonly venue: string;
  readonly feed: string;
}

/** Which of a feed's sockets. */
interface SocketName extends FeedName {
  readonly socket: number;
}

export interface ReceivedFrame extends SocketName {
  readonly type: 'frame';
  readonly frame: DataFrame;
  readonly receivedAtMs: number;
}

/** A socket delivered a frame that could not be parsed: its content is lost unless another socket delivers the same. */
export interface RefusedFrame extends SocketName {
  readonly type: 'refused';
  readonly atMs: number;
}

/** A socket started or stopped delivering. */
export interface SocketChange extends SocketName {
  readonly type: 'socket';
  readonly kind: 'up' | 'down';
  readonly atMs: number;
  /** When the socket last delivered data; absent if never. After `down`, anything later may be missing. */
  readonly lastDataMs?: number;
}

/** A feed started or stopped delivering everything it is subscribed to, over all of its sockets. */
export interface FeedChange extends FeedName {
  readonly type: 'feed';
  readonly kind: 'up' | 'down';
  readonly atMs: number;
  /** Until when the connection was known to work before it went down; a pong counts. */
  readonly lastReceivedMs: number;
  /** For a started feed: topics that no socket delivers yet. Each is reported as `carried` when one does. */
  readonly awaiting?: readonly string[];
}

/** A socket delivers these topics from now on: the venue confirmed them, or sent something of them. */
export interface CarriedTopics extends FeedName {
  readonly type: 'carried';
  readonly topics: readonly string[];
  readonly atMs: number;
}

/** Records that a feed missed and that were requested afterwards. */
export interface RefilledFrame extends FeedName {
  readonly type: 'refilled';
  readonly frame: DataFrame;
}

/** A gap of a feed that is now filled: half open, in ms. Comes after the last `refilled` of the gap. */
export interface BridgedGap extends FeedName {
  readonly type: 'bridged';
  readonly fromMs: number;
  readonly toMs: number;
}

export type FeedEvent =
  | ReceivedFrame
  | RefusedFrame
  | SocketChange
  | FeedChange
  | CarriedTopics
  | RefilledFrame
  | BridgedGap;

/**
 * Receives the events of feeds. Frames of one socket arrive in order, between its `up` and its `down`; refused ones
 * also before. One function for all kinds of events, so that no implementation can omit a kind.
 */
export type FeedSink = (event: FeedEvent) => void;

/** Delivers every event to every receiver. Each takes what it needs; none passes events on. */
export function sendToEach(receivers: readonly FeedSink[]): FeedSink {
  return (event) => {
    for (const receive of receivers) receive(event);
  };
}

import type { Frame } from '@crosstape/venues';

/** A frame that carries market data, whose numbers are all finite. */
export type DataFrame = Exclude<Frame, { readonly kind: 'heartbeat' | 'subscribed' | 'ignored' | 'refused' }>;

export function isData(frame: Frame): frame is DataFrame {
  return frame.kind === 'trades' || frame.kind === 'liquidations' || frame.kind === 'book';
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
  readonly frame: DataFrame;
  readonly receivedAtMs: number;
}

/** A socket began to deliver, or no longer does. */
export interface SocketChange extends SocketName {
  readonly kind: 'up' | 'down';
  readonly atMs: number;
  /** When the socket last delivered data; absent when it never did. After `down`, what came later may be missing. */
  readonly lastDataMs?: number;
}

/** A feed began to deliver everything that it is subscribed to, over however many sockets, or no longer does. */
export interface FeedChange extends FeedName {
  readonly kind: 'up' | 'down';
  readonly atMs: number;
  /** Until when it was surely heard before it went down, be it by a pong. */
  readonly heardMs: number;
}

/** What a feed missed and was asked for afterwards. */
export interface RefilledFrame extends FeedName {
  readonly frame: DataFrame;
}

/** A stretch in which nothing of a feed is missing: half open, in ms. */
export interface BridgedHole extends FeedName {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A socket brought a frame that could not be read: what it said is lost, unless another socket says it. */
export interface RefusedFrame extends SocketName {
  readonly atMs: number;
}

/** Where feeds deliver. Frames of one socket come in order, between its `up` and its `down`; refused ones also before. */
export interface FeedSink {
  frame(received: ReceivedFrame): void;
  refused(refused: RefusedFrame): void;
  socket(change: SocketChange): void;
  /** For those to whom sockets are one. */
  feed?(change: FeedChange): void;
  /** After the feed came up again; once all of a hole has come, so does `bridged`. */
  refilled?(refilled: RefilledFrame): void;
  bridged?(hole: BridgedHole): void;
}

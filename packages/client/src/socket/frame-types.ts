import type { components } from '../generated/frames.ts';

type Frames = components['schemas'];

/** Names of the gateway's channels. */
export type ChannelName = {
  [Name in keyof Frames]: Name extends `data.${infer Channel}` ? Channel : never;
}[keyof Frames];

/** Payload of a channel. */
export type PayloadOf<Channel extends ChannelName> = Frames[`data.${Channel}`]['payload'];

/** A channel's own parameters: `interval`, `mode`, `since`; `liveCandles` begins with recorded candles. */
export type ParamsOf<Channel extends ChannelName> = Omit<
  Frames[`subscribe.${Channel}`],
  'op' | 'id' | 'channel' | 'symbol' | (Channel extends 'candles' ? 'since' : never)
>;

export type TapeHole = Frames['TapeHole'];
export type Trade = PayloadOf<'trades'>;

/** A position on the tape: time of the last trade, and how many trades of that millisecond were received. */
export interface Cursor {
  readonly ts: number;
  readonly count: number;
}

/** An item of a subscription. */
export type SocketItem<Channel extends ChannelName = ChannelName> =
  /** A connection carries it now: the first one, or a new one. State starts again. */
  | { readonly type: 'joined' }
  | { readonly type: 'data'; readonly ts: number; readonly payload: PayloadOf<Channel> }
  /** On a state channel, for a reader that was too slow: this many frames were skipped, the newest state follows. */
  | { readonly type: 'lagged'; readonly skipped: number }
  /** On trades with history: everything recorded has been sent; includes the gaps of the record. */
  | { readonly type: 'caughtUp'; readonly gaps: readonly TapeHole[] }
  | GapItem;

/**
 * On event channels without history: the connection was lost, and events may be missing. On trades: the tape itself has
 * a gap, with its state and reason; `refilled` means that nothing is missing.
 */
interface GapItem {
  readonly type: 'gap';
  readonly from: number;
  readonly to: number;
  readonly state?: TapeHole['state'];
  readonly reason?: string;
  /** No trade is missing, but trades of this minute arrived late, or late trades are recorded in it. */
  readonly late?: boolean;
}

/** Whether a channel or stream is current, by the health of its sources. */
export type FeedStatus = Pick<Frames['status'], 'state' | 'sinceTs' | 'reason' | 'partial'>;

/** An item of a build: accepted, progress, done. */
export type BuildItem = Frames['buildAccepted'] | Frames['buildProgress'] | Frames['buildDone'];

export type AckFrame = Frames['ack'];
export type ErrorFrame = Frames['error'];
export type BuildErrorFrame = Frames['buildError'];

/** A frame of the gateway. */
export type ServerFrame =
  | AckFrame
  | ErrorFrame
  | Frames['heartbeat']
  | Frames['lagged']
  | Frames['caughtUp']
  | Frames['gap']
  | Frames['status']
  | BuildItem
  | BuildErrorFrame
  | Frames[`data.${ChannelName}`];

import { jsonReader } from '../frame-reader.ts';
import { type Fields, readObject, readText } from '../reading.ts';
import type { Feed, Frame } from '../venue.ts';

/** The server closes a connection to which it has sent nothing for about 60 s; SDKs ping every 30 to 50 s [D, S]. */
const PING_EVERY_MS = 20_000;
/** The very first frame of a connection can be this plain text instead of JSON [D]. */
const GREETED = {
  text: 'Websocket connection established.',
  frame: { kind: 'ignored', why: 'greeting' },
} as const;

export const ping: Feed['ping'] = { everyMs: PING_EVERY_MS, frame: '{"method":"ping"}' };

export interface SocketReaderOptions {
  readonly channel: string;
  /** Reads what a frame of the channel carries. */
  readonly data: (data: unknown) => Frame;
  /** The topic of a subscription that the venue has acknowledged. */
  readonly topicOf: (coin: string, subscription: Fields) => string;
}

/**
 * Reads the frames that every subscription has in common, and leaves those of its channel to the feed:
 * ```json
 * → {"method":"subscribe","subscription":{"type":"trades","coin":"BTC"}}
 * ← {"channel":"subscriptionResponse","data":{"method":"subscribe","subscription":{"type":"trades","coin":"BTC"}}}
 * ← {"channel":"trades","data":[…]}
 * ← {"channel":"error","data":"Already subscribed: …"}
 * → {"method":"ping"}  ← {"channel":"pong"}
 * ```
 * https://hyperliquid.gitbook.io/hyperliquid-docs/for-developers/api/websocket/subscriptions
 */
export function socketReader({ channel, data, topicOf }: SocketReaderOptions): (text: string) => Frame {
  return jsonReader((frame) => {
    switch (frame.channel) {
      case channel:
        return data(frame.data);
      case 'pong':
        return { kind: 'heartbeat' };
      case 'subscriptionResponse': {
        const { method, subscription: about } = readObject(frame.data, 'data');
        const subscription = readObject(about, 'subscription');
        const coin = readText(subscription.coin, 'subscription.coin');
        if (method !== 'subscribe') return { kind: 'ignored', why: 'unsubscribed' };
        return { kind: 'subscribed', topics: [topicOf(coin, subscription)] };
      }
      case 'error':
        return { kind: 'refused', why: `the venue says: ${String(frame.data)}`, isReply: true };
      default:
        return { kind: 'ignored', why: `channel ${String(frame.channel)}` };
    }
  }, GREETED);
}

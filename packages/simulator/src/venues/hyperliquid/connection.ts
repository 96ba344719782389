import type { Clock } from '@crosstape/core';
import { type Fields, isFields } from '../../json.ts';
import type { Market } from '../../market/market.ts';
import type { VenueSocket } from '../../venue-socket.ts';
import type { Feed, Member } from './feed.ts';
import type { Limits } from './limits.ts';
import { readSubscription, type Subscription, subscriptionKey } from './subscription.ts';

/** The venue closes a connection after this long without a message from it. */
const SILENT_MAX_MS = 60_000;

export interface ConnectionOptions {
  readonly socket: VenueSocket;
  readonly market: Market;
  readonly clock: Clock;
  readonly feed: Feed;
  readonly limits: Limits;
  /** Answers an info request received over the socket. */
  readonly answer: (question: unknown) => Promise<PostAnswer>;
}

/** `data` on success. */
export type PostAnswer = { readonly data: unknown } | { readonly error: string };

/** One client's socket: its subscriptions, and what is sent. */
export class Connection implements Member {
  readonly #options: ConnectionOptions;
  readonly #subscriptions = new Map<string, Subscription>();
  #sentMs: number;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#sentMs = options.clock.now();
    options.socket.onFrame((text) => this.#receive(text));
    options.socket.onClose(() => this.#leave());
    this.send('Websocket connection established.');
  }

  send(frame: string): void {
    this.#sentMs = this.#options.clock.now();
    this.#options.socket.send(frame);
  }

  /** Closes the socket if it has been silent for too long. */
  closeIfSilent(): void {
    if (this.#options.clock.now() - this.#sentMs > SILENT_MAX_MS)
      this.#options.socket.close(1000, 'Inactive');
  }

  #receive(text: string): void {
    if (!this.#options.limits.takeMessage()) return this.#complain('Too many messages sent.');
    const request = parse(text);
    switch (request['method']) {
      case 'ping':
        return this.send('{"channel":"pong"}');
      case 'subscribe':
        return this.#subscribe(request);
      case 'unsubscribe':
        return this.#unsubscribe(request);
      case 'post':
        return this.#post(request);
      default:
        this.#complain(`Error parsing JSON into valid websocket request: ${text.slice(0, 200)}`);
    }
  }

  /**
   * → {"method":"subscribe","subscription":{"type":"trades","coin":"BTC"}}
   * ← {"channel":"subscriptionResponse","data":{"method":"subscribe","subscription":{"type":"trades","coin":"BTC"}}}
   */
  #subscribe({ subscription: asked }: Fields): void {
    const { market, feed, limits } = this.#options;
    const subscription = readSubscription(asked, market);
    if (!subscription) return this.#complain(`Invalid subscription ${JSON.stringify(asked)}`);
    const key = subscriptionKey(subscription);
    if (this.#subscriptions.has(key)) return this.#complain(`Already subscribed: ${JSON.stringify(asked)}`);
    if (!limits.subscribe()) return this.#complain('Cannot track more than 1000 total subscriptions.');
    this.#subscriptions.set(key, subscription);
    this.#acknowledge('subscribe', asked);
    feed.join(this, subscription);
  }

  #unsubscribe({ subscription: asked }: Fields): void {
    const { market, feed, limits } = this.#options;
    const subscription = readSubscription(asked, market);
    if (!subscription || !this.#subscriptions.delete(subscriptionKey(subscription))) {
      return this.#complain(`Already unsubscribed: ${JSON.stringify(asked)}`);
    }
    feed.leave(this, subscription);
    limits.unsubscribe();
    this.#acknowledge('unsubscribe', asked);
  }

  /**
   * → {"method":"post","id":1,"request":{"type":"info","payload":{"type":"l2Book","coin":"BTC"}}}
   * ← {"channel":"post","data":{"id":1,"response":{"type":"info","payload":{"type":"l2Book","data":{…}}}}}
   */
  #post(request: Fields): void {
    const { id } = request;
    const inner = request['request'];
    if (
      typeof id !== 'number' ||
      !isFields(inner) ||
      inner['type'] !== 'info' ||
      !isFields(inner['payload'])
    ) {
      return this.#complain(
        `Error parsing JSON into valid websocket request: ${JSON.stringify(request).slice(0, 200)}`,
      );
    }
    if (!this.#options.limits.openPost()) return this.#complain(`too many pending post requests id=${id}`);
    void this.#answerPost(id, inner['payload']);
  }

  async #answerPost(id: number, question: Fields): Promise<void> {
    const answer = await this.#options.answer(question);
    this.#options.limits.closePost();
    const response =
      'error' in answer
        ? { type: 'error', payload: answer.error }
        : { type: 'info', payload: { type: question['type'], data: answer.data } };
    this.send(JSON.stringify({ channel: 'post', data: { id, response } }));
  }

  #acknowledge(method: string, subscription: unknown): void {
    this.send(JSON.stringify({ channel: 'subscriptionResponse', data: { method, subscription } }));
  }

  #complain(data: string): void {
    this.send(JSON.stringify({ channel: 'error', data }));
  }

  #leave(): void {
    for (const subscription of this.#subscriptions.values()) this.#options.feed.leave(this, subscription);
    this.#options.limits.closeSocket(this.#subscriptions.size);
    this.#subscriptions.clear();
  }
}

/** A client's frame; anything but a JSON object has no method. */
function parse(text: string): Fields {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : {};
  } catch {
    return {};
  }
}

import { type Clock, MINUTE_MS } from '@crosstape/core';
import { SlidingWindow } from '../../sliding-window.ts';
import type { VenueAnswer } from '../venue-simulator.ts';

/** https://hyperliquid.gitbook.io/hyperliquid-docs/for-developers/api/rate-limits-and-user-limits */
const WEIGHT_PER_MINUTE = 1200;
const SOCKETS_MAX = 10;
const SOCKETS_PER_MINUTE = 30;
const SUBSCRIPTIONS_MAX = 1000;
const MESSAGES_PER_MINUTE = 2000;
const POSTS_IN_FLIGHT_MAX = 100;

export type Limit = 'weight' | 'sockets' | 'newSockets' | 'subscriptions' | 'messages' | 'posts';

/** The venue's limits per IP. All callers of the simulator share one address, so they are counted together. */
export class Limits {
  readonly violations: Partial<Record<Limit, number>> = {};
  readonly #weight: SlidingWindow;
  readonly #newSockets: SlidingWindow;
  readonly #messages: SlidingWindow;
  sockets = 0;
  subscriptions = 0;
  #posts = 0;

  constructor(clock: Clock) {
    const spanMs = MINUTE_MS;
    this.#weight = new SlidingWindow({ clock, spanMs, max: WEIGHT_PER_MINUTE });
    this.#newSockets = new SlidingWindow({ clock, spanMs, max: SOCKETS_PER_MINUTE });
    this.#messages = new SlidingWindow({ clock, spanMs, max: MESSAGES_PER_MINUTE });
  }

  get weightUsed(): number {
    return this.#weight.used;
  }

  takeWeight(weight: number): boolean {
    return this.#weight.take(weight) || this.#break('weight');
  }

  /** The weight of rows, which is known only once they exist. */
  chargeRows(weight: number): void {
    this.#weight.charge(weight);
  }

  openSocket(): boolean {
    if (this.sockets >= SOCKETS_MAX) return this.#break('sockets');
    if (!this.#newSockets.take(1)) return this.#break('newSockets');
    this.sockets += 1;
    return true;
  }

  closeSocket(subscriptions: number): void {
    this.sockets -= 1;
    this.subscriptions -= subscriptions;
  }

  takeMessage(): boolean {
    return this.#messages.take(1) || this.#break('messages');
  }

  subscribe(): boolean {
    if (this.subscriptions >= SUBSCRIPTIONS_MAX) return this.#break('subscriptions');
    this.subscriptions += 1;
    return true;
  }

  unsubscribe(): void {
    this.subscriptions -= 1;
  }

  openPost(): boolean {
    if (this.#posts >= POSTS_IN_FLIGHT_MAX) return this.#break('posts');
    this.#posts += 1;
    return true;
  }

  closePost(): void {
    this.#posts -= 1;
  }

  #break(limit: Limit): false {
    this.violations[limit] = (this.violations[limit] ?? 0) + 1;
    return false;
  }
}

/** Too much weight. */
export const TOO_HEAVY: VenueAnswer = { status: 429, type: 'application/json', body: 'null' };

/** Too many connections: the proxy in front of the venue answers. */
export const TOO_MANY_CONNECTIONS: VenueAnswer = {
  status: 429,
  type: 'text/html',
  body: '<html>\r\n<head><title>429 Too Many Requests</title></head>\r\n<body>\r\n<center><h1>429 Too Many Requests</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n',
};

import { Readable } from 'node:stream';
import { CallerCounts } from '../../platform/caller-counts.ts';
import { networkOf } from '../../platform/client-address.ts';
import { Failure } from '../../platform/errors.ts';
import type { Bus } from '../../platform/bus.ts';
import { gapTopic } from '../../topics.ts';
import type { Page } from '../../http/route.ts';
import { coverageMarket, isFixedResource, noResource } from './resources.ts';
import type { Rest } from './rest.ts';

/** Open streams of all callers, of one network, and of one address. */
export const STREAMS_MAX = 256;
const STREAMS_PER_NETWORK = STREAMS_MAX / 2;
const STREAMS_PER_ADDRESS = 8;
/** Resources that one stream may name. */
const RESOURCES_MAX = 32;
/** Bytes that a slow client may leave unread; beyond them its stream is cut. */
const UNREAD_MAX_BYTES = 65_536;

/** The resources of `subscriptions/listen`: follows the tapes that open streams name. */
export class WatchedResources {
  readonly #bus: Bus;
  readonly #changed: (uri: string) => void;
  readonly #pages: readonly Page[];
  readonly #watched = new Map<string, { streams: number; readonly leave: () => void }>();
  readonly #byAddress = new CallerCounts();
  readonly #byNetwork = new CallerCounts();

  /** `changed` is called once for every change of a watched resource. */
  constructor(bus: Bus, pages: readonly Page[], changed: (uri: string) => void) {
    this.#bus = bus;
    this.#pages = pages;
    this.#changed = changed;
  }

  /** Follows the resources that a stream names, until the returned function is called. Throws a `Failure`. */
  async watch(uris: readonly unknown[], rest: Rest, address: string): Promise<() => void> {
    if (uris.length > RESOURCES_MAX)
      throw new Failure('bad_request', `A stream may name at most ${RESOURCES_MAX} resources.`);
    const tapes = new Map<string, string>();
    for (const uri of uris) {
      const market = typeof uri === 'string' ? coverageMarket(uri) : undefined;
      if (market !== undefined) tapes.set(uri as string, await rest.tapeName(market));
      // Other resources do not change while the service runs; values that are not text are refused by the SDK.
      else if (typeof uri === 'string' && !isFixedResource(uri, this.#pages)) throw noResource(uri);
    }
    const network = networkOf(address);
    if (this.#byAddress.of(address) >= STREAMS_PER_ADDRESS) throw tooMany('address', STREAMS_PER_ADDRESS);
    if (this.#byNetwork.of(network) >= STREAMS_PER_NETWORK) throw tooMany('network', STREAMS_PER_NETWORK);
    this.#byAddress.add(address);
    this.#byNetwork.add(network);
    for (const [uri, tape] of tapes) this.#enter(uri, tape);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      for (const uri of tapes.keys()) this.#leave(uri);
      this.#byAddress.remove(address);
      this.#byNetwork.remove(network);
    };
  }

  #enter(uri: string, tape: string): void {
    const watched = this.#watched.get(uri);
    if (watched) watched.streams += 1;
    else {
      const leave = this.#bus.subscribe(gapTopic(tape), () => this.#changed(uri));
      this.#watched.set(uri, { streams: 1, leave });
    }
  }

  #leave(uri: string): void {
    const watched = this.#watched.get(uri);
    if (!watched) return;
    watched.streams -= 1;
    if (watched.streams > 0) return;
    watched.leave();
    this.#watched.delete(uri);
  }
}

function tooMany(who: string, max: number): Failure {
  return new Failure('rate_limited', `One ${who} may hold ${max} streams open.`);
}

/** An event stream as a Node.js stream. It is read as it is written, so that slow clients are detected. */
export function eventsOf(body: ReadableStream<Uint8Array>, onEnd: () => void): Readable {
  const reader = body.getReader();
  const events = new Readable({ read: () => undefined });
  events.once('close', () => {
    onEnd();
    // A failed stream cannot be cancelled, and has ended.
    reader.cancel().catch(() => undefined);
  });
  void copy(reader, events).catch((error: unknown) => events.destroy(error as Error));
  return events;
}

async function copy(reader: ReadableStreamDefaultReader<Uint8Array>, events: Readable): Promise<void> {
  for (;;) {
    const { done, value } = await reader.read();
    if (events.destroyed) return;
    if (done) {
      events.push(null);
      return;
    }
    events.push(value);
    if (events.readableLength > UNREAD_MAX_BYTES) events.destroy();
  }
}

import { Readable } from 'node:stream';
import type { Clock } from '@crosstape/core';
import { Streamed } from '../../http/streamed.ts';
import type { Bus } from '../../platform/bus.ts';
import { gapTopic } from '../../topics.ts';
import { isRecord, RpcError, type RpcId, type RpcRequest, rpcCodes, SUBSCRIPTION_META } from './protocol.ts';
import { coverageMarket } from './resources.ts';
import type { Rest } from './rest.ts';

/** Open streams of all callers, and of one. */
const STREAMS_MAX = 256;
const STREAMS_PER_CALLER = 8;
/** Resources that one stream may name. */
const RESOURCES_MAX = 32;
const KEEP_ALIVE_MS = 15_000;

const headers = [
  ['Content-Type', 'text/event-stream'],
  ['Cache-Control', 'no-cache, no-transform'],
  ['X-Accel-Buffering', 'no'],
].flat();

/** The streams of `subscriptions/listen`: each reports when the coverage of a market that it names changes. */
export class Listeners {
  readonly #bus: Bus;
  readonly #clock: Clock;
  /** Streams and their callers. */
  readonly #open = new Map<Listener, string>();

  constructor({ bus, clock }: { readonly bus: Bus; readonly clock: Clock }) {
    this.#bus = bus;
    this.#clock = clock;
  }

  /** Throws `RpcError` when the request is malformed or there is no room, and a `Failure` for an unknown market. */
  async open(request: RpcRequest, rest: Rest, caller: string): Promise<Streamed> {
    const tapes = new Map<string, string>();
    for (const uri of requestedUris(request)) {
      const market = coverageMarket(uri);
      // Other resources do not change while the service runs.
      if (market !== undefined) tapes.set(uri, await rest.tapeName(market));
    }
    this.#checkRoom(caller, request.id);
    return new Streamed({
      status: 200,
      headers,
      isEvents: true,
      open: () => this.#start(request, tapes, caller),
    });
  }

  /** Ends every stream. */
  close(): void {
    for (const listener of this.#open.keys()) listener.end();
  }

  #checkRoom(caller: string, id: RpcId | undefined): void {
    const own = [...this.#open.values()].filter((one) => one === caller).length;
    if (this.#open.size < STREAMS_MAX && own < STREAMS_PER_CALLER) return;
    throw new RpcError(
      `All streams are taken: there are ${STREAMS_MAX}, and ${STREAMS_PER_CALLER} for one caller.`,
      { status: 429, code: rpcCodes.internal, id },
    );
  }

  #start(request: RpcRequest, tapes: ReadonlyMap<string, string>, caller: string): Readable {
    const listener = new Listener(request.id as RpcId, [...tapes.keys()]);
    if (tapes.size === 0) {
      listener.end();
      return listener.stream;
    }
    const leave = [...tapes].map(([uri, tape]) =>
      this.#bus.subscribe(gapTopic(tape), () => listener.change(uri)),
    );
    const timer = this.#clock.every(KEEP_ALIVE_MS, () => listener.keepAlive());
    this.#open.set(listener, caller);
    listener.stream.once('close', () => {
      for (const unsubscribe of leave) unsubscribe();
      timer.cancel();
      this.#open.delete(listener);
    });
    return listener.stream;
  }
}

/** One stream. A slow client receives one notification for all changes of a resource that it has not read yet. */
class Listener {
  readonly stream: Readable;
  readonly #meta: object;
  readonly #id: RpcId;
  readonly #changed = new Set<string>();
  #isReading = true;

  constructor(id: RpcId, uris: readonly string[]) {
    this.#id = id;
    this.#meta = { [SUBSCRIPTION_META]: id };
    this.stream = new Readable({ read: () => this.#resume() });
    const notifications = uris.length > 0 ? { resourceSubscriptions: uris } : {};
    this.#notify('notifications/subscriptions/acknowledged', { notifications });
  }

  change(uri: string): void {
    this.#changed.add(uri);
    if (this.#isReading) this.#flush();
  }

  keepAlive(): void {
    if (this.#isReading) this.#push(': keepalive\n\n');
  }

  end(): void {
    const result = { resultType: 'complete', _meta: this.#meta };
    this.#push(frameOf({ jsonrpc: '2.0', id: this.#id, result }));
    this.stream.push(null);
  }

  #resume(): void {
    this.#isReading = true;
    this.#flush();
  }

  #flush(): void {
    for (const uri of this.#changed) {
      if (!this.#isReading) return;
      this.#changed.delete(uri);
      this.#notify('notifications/resources/updated', { uri });
    }
  }

  #notify(method: string, params: object): void {
    this.#push(frameOf({ jsonrpc: '2.0', method, params: { ...params, _meta: this.#meta } }));
  }

  #push(text: string): void {
    this.#isReading = this.stream.push(text);
  }
}

function frameOf(message: object): string {
  return `event: message\ndata: ${JSON.stringify(message)}\n\n`;
}

function requestedUris({ params, id }: RpcRequest): readonly string[] {
  const wanted = isRecord(params.notifications)
    ? (params.notifications.resourceSubscriptions ?? [])
    : undefined;
  if (
    !Array.isArray(wanted) ||
    wanted.length > RESOURCES_MAX ||
    !wanted.every((one) => typeof one === 'string')
  ) {
    throw new RpcError(
      `params.notifications must be an object whose resourceSubscriptions list at most ${RESOURCES_MAX} URIs.`,
      { status: 200, code: rpcCodes.invalidParams, id },
    );
  }
  return wanted;
}

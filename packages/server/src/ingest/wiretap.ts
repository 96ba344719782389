import type { Frame } from '@crosstape/venues';
import type { RawData } from 'ws';

/**
 * Receives a copy of everything that passes between the connectors and the venues. The service runs without one;
 * `crosstape capture` supplies it.
 */
export interface Wiretap {
  venue(id: string): VenueTap;
}

export interface VenueTap {
  /** Called when a request is about to be sent. */
  request(sent: SentRequest): TappedRequest;
  /** Called when a socket is about to connect. */
  socket(dialled: DialledSocket): TappedSocket;
}

/** Which source sends a request, and for which key or page. */
export interface RequestPurpose {
  readonly source: string;
  readonly key: string;
  /** Further input of the parser: the gap of past trades, the span of candles and samples. */
  readonly question?: object | undefined;
}

export interface SentRequest extends RequestPurpose {
  readonly method: string;
  readonly origin: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface TappedRequest {
  /** The caller waits for the result, so that a slow writer slows polling down instead of filling the memory. */
  answered(answer: TappedAnswer): Promise<void>;
  failed(reason: string): void;
}

export interface TappedAnswer {
  readonly status: number;
  readonly headers: Iterable<readonly [name: string, value: string]>;
  /** Valid until the call returns. */
  readonly body: Uint8Array;
}

export interface DialledSocket {
  readonly feed: string;
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Everything that happens on one socket, in order. Never blocks. */
export interface TappedSocket {
  opened(): void;
  /** The venue answered the handshake with an HTTP status. */
  refused(status: number, headers: Readonly<Record<string, unknown>>): void;
  /** `topics`: what the frame subscribes to. */
  sent(frame: string, about?: { readonly topics?: readonly string[]; readonly isPing?: boolean }): void;
  /** `frame`: the result of the parser. */
  received(data: RawData, isBinary: boolean, frame: Frame): void;
  /** `by`: which side ended it. */
  closed(by: 'venue' | 'us', code: number, reason: string): void;
}

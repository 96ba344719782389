import type { Frame } from '@crosstape/venues';

/** Incremented when older versions can no longer read a capture. */
export const CAPTURE_FORMAT = 1;

/** The first line of a capture. */
export interface CaptureHeader {
  readonly capture: number;
  /** Version of the program that wrote it. */
  readonly crosstape: string;
  readonly upstream: string;
  readonly startedAtMs: number;
  readonly startedAt: string;
  readonly venues: readonly string[];
}

/** The bytes on the wire: valid UTF-8 as text, anything else in base64. */
export type CapturedBody = { readonly text: string } | { readonly base64: string };

/** All other lines: an event at `t` (ms). */
export type CaptureLine =
  | RequestLine
  | AnswerLine
  | FailureLine
  | ConnectLine
  | OpenLine
  | RefusedLine
  | OutLine
  | InLine
  | CloseLine
  | DroppedLine
  | EndLine;

export interface RequestLine {
  readonly t: number;
  readonly type: 'request';
  readonly id: number;
  readonly venue: string;
  readonly source: string;
  /** For a lookup the requested key, for a resource the path of the page. */
  readonly key: string;
  /** Further input of the parser: the gap of past trades, the span of candles and samples. */
  readonly question?: object;
  readonly method: string;
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: CapturedBody;
}

export interface AnswerLine {
  readonly t: number;
  readonly type: 'answer';
  /** Id of the request. */
  readonly id: number;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: CapturedBody;
}

/** A request that was never answered. */
export interface FailureLine {
  readonly t: number;
  readonly type: 'failure';
  readonly id: number;
  readonly reason: string;
}

export interface ConnectLine {
  readonly t: number;
  readonly type: 'connect';
  readonly socket: number;
  readonly venue: string;
  readonly feed: string;
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface OpenLine {
  readonly t: number;
  readonly type: 'open';
  readonly socket: number;
}

/** A handshake that failed with an HTTP status. */
export interface RefusedLine {
  readonly t: number;
  readonly type: 'refused';
  readonly socket: number;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

export interface OutLine {
  readonly t: number;
  readonly type: 'out';
  readonly socket: number;
  /** The topics that it subscribes to. */
  readonly topics?: readonly string[];
  readonly ping?: true;
  readonly body: CapturedBody;
}

export interface InLine {
  readonly t: number;
  readonly type: 'in';
  readonly socket: number;
  /** How the parser classified it when it was captured. */
  readonly as: Frame['kind'];
  /** The subscriptions that it confirms. */
  readonly topics?: readonly string[];
  readonly binary?: true;
  readonly body: CapturedBody;
}

export interface CloseLine {
  readonly t: number;
  readonly type: 'close';
  readonly socket: number;
  readonly by: 'venue' | 'us';
  readonly code: number;
  readonly reason: string;
}

/** Frames that were not written because the writer was behind. */
export interface DroppedLine {
  readonly t: number;
  readonly type: 'dropped';
  readonly socket: number;
  readonly frames: number;
}

/** The last line of a complete capture. */
export interface EndLine {
  readonly t: number;
  readonly type: 'end';
  readonly reason: string;
}

/** A byte order mark is part of the body. */
const exactUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function encodeBody(bytes: Uint8Array): CapturedBody {
  try {
    return { text: exactUtf8.decode(bytes) };
  } catch {
    return { base64: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64') };
  }
}

export function decodeBody(body: CapturedBody): Buffer<ArrayBuffer> {
  return 'text' in body ? Buffer.from(body.text, 'utf8') : Buffer.from(body.base64, 'base64');
}

/** Characters of a body encoded at a time, so that a large one does not delay frames. */
const SLICE_CHARS = 256 * 1024;

/** A line in parts, which joined are one line of JSON. */
export function* partsOfLine(line: CaptureLine | CaptureHeader): Generator<string> {
  const body = 'body' in line ? line.body : undefined;
  const [form, text] = body === undefined ? [] : (Object.entries(body)[0] as [string, string]);
  if (text === undefined || text.length <= SLICE_CHARS) {
    yield `${JSON.stringify(line)}\n`;
    return;
  }
  const { body: _, ...head } = line as AnswerLine;
  yield `${JSON.stringify(head).slice(0, -1)},"body":{"${form}":"`;
  // Half of a surrogate pair is escaped on its own, and complete again once the line is parsed.
  for (let at = 0; at < text.length; at += SLICE_CHARS)
    yield JSON.stringify(text.slice(at, at + SLICE_CHARS)).slice(1, -1);
  yield '"}}\n';
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { failureCodes, type Failure } from '../platform/errors.ts';
import { maskKeys } from '../platform/key-text.ts';
import { type Answer, corsHeaders, type Variant } from './answer.ts';
import { JSON_TYPE } from './answer-cache.ts';
import type { KeyStatus } from './gate.ts';
import { matchesTag } from './negotiate.ts';
import { PACED_BYTES_MIN, type PaceOptions, sendBytes } from './paced-body.ts';
import type { PageReply } from './route.ts';

/** Writes a complete answer; returns the status. */
export function writeAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  {
    answer,
    variant,
    nowMs,
    headers,
    isPrivate,
    pace,
  }: {
    readonly answer: Answer;
    readonly variant: Variant;
    readonly nowMs: number;
    readonly headers: readonly string[];
    /** Whether only the caller, which has a key, may cache it. */
    readonly isPrivate: boolean;
    readonly pace: PaceOptions;
  },
): number {
  const ageSeconds = answer.ageSeconds(nowMs);
  const isMatch = matchesTag(request.headers['if-none-match'], variant.etag);
  const own = isPrivate ? variant.headers.map(privately) : variant.headers;
  const all = own.concat('Age', String(ageSeconds), headers);
  if (isMatch && (answer.parts.status ?? 200) === 200) {
    response.writeHead(304, withoutContent(all));
    response.end();
    return 304;
  }
  const { status = 200 } = answer.parts;
  response.writeHead(status, all);
  if (request.method === 'HEAD') response.end();
  else if (variant.body.length < PACED_BYTES_MIN) response.end(variant.body);
  else sendBytes(variant.body, response, pace);
  return status;
}

/** Answers with the quota of a key must not be in shared caches. */
function privately(text: string): string {
  return text.replace('public, max-age=', 'private, max-age=');
}

/** A 304 has no body to describe. */
export function withoutContent(headers: readonly string[]): string[] {
  const kept: string[] = [];
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const [name = '', value = ''] = headers.slice(i, i + 2);
    if (!/^Content-(Type|Length|Encoding)$/.test(name)) kept.push(name, value);
  }
  return kept;
}

export interface FailureText {
  readonly source: string;
  readonly nowMs: number;
  /** Additional headers: name, value, name, value. */
  readonly headers: readonly string[];
  /** Whether any web page may read it. */
  readonly isPublic: boolean;
  /** For a key that was given and not accepted. */
  readonly keyStatus?: KeyStatus | undefined;
}

/** The body of every failure. */
export function failureBody(
  failure: Failure,
  { source, nowMs, keyStatus }: Omit<FailureText, 'headers' | 'isPublic'>,
): Buffer {
  return Buffer.from(
    JSON.stringify({
      // The message may quote a misplaced key.
      error: maskKeys(failure.message),
      data: [],
      meta: {
        fetchedAt: nowMs,
        source,
        code: failure.code,
        ...failure.details.meta,
        ...(keyStatus && { keyStatus }),
      },
    }),
  );
}

/** Writes a failure unless a response has begun; returns the status. */
export function writeFailure(
  request: IncomingMessage,
  response: ServerResponse,
  failure: Failure,
  words: FailureText,
): number {
  const { status } = failureCodes[failure.code];
  if (response.headersSent) {
    response.destroy();
    return status;
  }
  const { retryAfterSeconds, allow } = failure.details;
  const body = failureBody(failure, words);
  const headers = [
    'Content-Type',
    JSON_TYPE,
    'Content-Length',
    String(body.length),
    'Cache-Control',
    'no-store',
    ...noSniffing,
  ];
  if (retryAfterSeconds !== undefined) headers.push('Retry-After', String(retryAfterSeconds));
  if (allow) headers.push('Allow', allow.join(', '));
  if (isLarge(request) && !request.complete) headers.push('Connection', 'close');
  response.writeHead(status, headers.concat(words.isPublic ? corsHeaders : [], words.headers));
  if (request.method === 'HEAD') response.end();
  else response.end(body);
  return status;
}

/** A smaller body is read to its end, so that its sender receives the answer; a larger or endless one is not. */
const DRAINED_BYTES_MAX = 1_048_576;

/** Whether a body is larger than that, or of unknown length. */
export function isLarge({ headers }: IncomingMessage): boolean {
  return (
    headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > DRAINED_BYTES_MAX
  );
}

/** Prevents MIME sniffing. */
const noSniffing: readonly string[] = ['X-Content-Type-Options', 'nosniff'];
/** The policy of a page that is not a document. */
const NOTHING = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Isolates a page; `policy` is what a browser may load for it. Other sites may frame an embeddable page. */
export function pageHeaders(policy: string = NOTHING, isEmbeddable = false): readonly string[] {
  return [
    ...noSniffing,
    'Content-Security-Policy',
    policy,
    'Referrer-Policy',
    'no-referrer',
    ...(isEmbeddable ? [] : ['X-Frame-Options', 'DENY']),
    'Cross-Origin-Resource-Policy',
    isEmbeddable ? 'cross-origin' : 'same-origin',
    'Cross-Origin-Opener-Policy',
    'same-origin',
  ];
}

export function writePage(request: IncomingMessage, response: ServerResponse, page: PageReply): number {
  const body = Buffer.from(page.body);
  response.writeHead(page.status, [
    'Content-Type',
    page.contentType,
    'Content-Length',
    String(body.length),
    'Cache-Control',
    'no-store',
    ...pageHeaders(page.policy),
    ...(page.headers ?? []),
  ]);
  if (request.method === 'HEAD') response.end();
  else response.end(body);
  return page.status;
}

/** Answers a CORS preflight. */
export function writePreflight(response: ServerResponse, methods: readonly string[]): number {
  const allow = methods.join(', ');
  response.writeHead(204, [
    'Allow',
    allow,
    'Access-Control-Allow-Origin',
    '*',
    'Access-Control-Allow-Methods',
    allow,
    'Access-Control-Allow-Headers',
    'Authorization, Content-Type, If-None-Match, Last-Event-ID, X-API-Key',
    'Access-Control-Max-Age',
    '86400',
  ]);
  response.end();
  return 204;
}

import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '@crosstape/core';
import { Failure, failureCodes } from '../platform/errors.ts';
import { corsHeaders } from './answer.ts';
import { JSON_TYPE } from './answer-cache.ts';
import { failureBody } from './write.ts';

/** Answers to errors of Node's parser, by error code. */
const problems: Readonly<Record<string, { readonly status: number; readonly failure: Failure }>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    failure: new Failure('too_large', 'The URL and headers of the request are too large.'),
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    failure: new Failure('bad_request', 'The request did not arrive in time.'),
  },
};
const malformed = { status: 400, failure: new Failure('bad_request', 'The request is not valid HTTP.') };

/** Answers a connection whose request could not be parsed, in the format of every failure. */
export function answerClientError(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  source: string,
  clock: Clock,
): void {
  const isAnswering = Boolean(Reflect.get(socket, '_httpMessage'));
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering) {
    // Text in the middle of another answer would be taken for a part of it.
    socket.destroy();
    return;
  }
  const { status, failure } = problems[error.code ?? ''] ?? malformed;
  endWithFailure(socket, failure, { status, source, clock });
}

/** How long a peer may take to close its side after the error; what it sends meanwhile is not read. */
const LINGER_MS = 2_000;

/** Writes a failure to a connection that has no response, and closes it. */
export function endWithFailure(
  socket: Duplex,
  failure: Failure,
  {
    source,
    clock,
    status = failureCodes[failure.code].status,
  }: { readonly source: string; readonly clock: Clock; readonly status?: number },
): void {
  const body = failureBody(failure, { source, nowMs: clock.now() });
  const { retryAfterSeconds } = failure.details;
  const headers = [
    'Content-Type',
    JSON_TYPE,
    'Content-Length',
    String(body.length),
    'Cache-Control',
    'no-store',
  ]
    .concat(retryAfterSeconds === undefined ? [] : ['Retry-After', String(retryAfterSeconds)])
    .concat(corsHeaders, 'Connection', 'close')
    .reduce((text, part, i) => text + (i % 2 === 0 ? `${part}: ` : `${part}\r\n`), '');
  socket.end(
    Buffer.concat([Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers}\r\n`), body]),
  );
  const timer = clock.after(LINGER_MS, () => socket.destroy());
  socket.once('close', () => timer.cancel());
}

import type { IncomingMessage } from 'node:http';
import { Failure } from '../platform/errors.ts';

const BODY_BYTES_MAX = 65_536;
const JSON_TYPE = /^application\/json\s*(;|$)/i;

/** The body of a request, or why it cannot be read. */
export interface ReadBody {
  readonly body?: unknown;
  readonly problem?: Failure;
}

/** Reads a JSON body. An empty body counts as none: many clients send a content type with every request. */
export async function readJson(request: IncomingMessage): Promise<ReadBody> {
  if (Number(request.headers['content-length'] ?? 0) > BODY_BYTES_MAX) return { problem: tooLarge() };
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > BODY_BYTES_MAX) return { problem: tooLarge() };
      chunks.push(chunk);
    }
    if (bytes === 0) return {};
    if (!JSON_TYPE.test(request.headers['content-type'] ?? '')) return { problem: notJson() };
    return { body: JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown };
  } catch (cause) {
    return { problem: notJson(cause) };
  }
}

function tooLarge(): Failure {
  return new Failure('too_large', `The body is larger than ${BODY_BYTES_MAX} bytes.`);
}

function notJson(cause?: unknown): Failure {
  return new Failure('bad_request', 'The body must be JSON, sent as application/json.', { cause });
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { corsHeaders } from './answer.ts';
import { JSON_TYPE } from './answer-cache.ts';
import type { Reply, SentBlob } from './endpoint.ts';
import type { KeyStatus } from './gate.ts';
import { matchesTag } from './negotiate.ts';
import { type PaceOptions, sendPaced } from './paced-body.ts';
import { withoutContent } from './write.ts';

const OCTETS_TYPE = 'application/octet-stream';
const BASE64_HEAD = '{"data":{"encoding":"base64","pack":"';

export interface BlobAnswer extends PaceOptions {
  readonly reply: Reply & { readonly blob: SentBlob };
  /** Name, value, name, value: quota headers. */
  readonly headers: readonly string[];
  readonly keyStatus: KeyStatus | undefined;
  /** Called when the blob cannot be read. */
  readonly onFault: (error: unknown) => void;
}

/** Sends stored bytes as they are read, alone or in base64 within the envelope; returns the status. */
export function writeBlob(request: IncomingMessage, response: ServerResponse, answer: BlobAnswer): number {
  const { reply, clock, headers, keyStatus, onFault } = answer;
  const { blob, meta } = reply;
  const tail = `"},"meta":${JSON.stringify({ ...meta, ...(keyStatus && { keyStatus }) })}}`;
  const etag = blob.isBase64 ? `"${blob.tag}-base64"` : `"${blob.tag}"`;
  const length = blob.isBase64
    ? BASE64_HEAD.length + 4 * Math.ceil(blob.bytes / 3) + Buffer.byteLength(tail)
    : blob.bytes;
  const ageSeconds = Math.max(0, Math.floor((clock.now() - (reply.asOfMs ?? meta.fetchedAt)) / 1_000));
  const described = [
    'Content-Type',
    blob.isBase64 ? JSON_TYPE : OCTETS_TYPE,
    'Content-Length',
    String(length),
  ];
  const cached = ['Cache-Control', keyStatus ? 'private, no-store' : 'no-store', 'ETag', etag];
  const vary = ['Vary', blob.isBase64 ? 'Accept, Accept-Encoding' : 'Accept'];
  const all = described.concat(cached, vary, corsHeaders, 'Age', String(ageSeconds), headers);
  const isMatch = matchesTag(request.headers['if-none-match'], etag);
  response.writeHead(isMatch ? 304 : 200, isMatch ? withoutContent(all) : all);
  if (isMatch || request.method === 'HEAD') {
    response.end();
    return isMatch ? 304 : 200;
  }
  const stored = blob.stream();
  const stream = blob.isBase64 ? Readable.from(base64(stored, tail), { objectMode: false }) : stored;
  stored.once('error', onFault);
  // A client that disconnects or is cut off is not a fault of the service.
  sendPaced({ stream }, response, answer).catch(() => response.destroy());
  return 200;
}

async function* base64(stored: Readable, tail: string): AsyncGenerator<Buffer> {
  yield Buffer.from(BASE64_HEAD);
  let rest = Buffer.alloc(0);
  for await (const part of stored as AsyncIterable<Buffer>) {
    const bytes = Buffer.concat([rest, part]);
    const whole = bytes.length - (bytes.length % 3);
    rest = bytes.subarray(whole);
    yield Buffer.from(bytes.subarray(0, whole).toString('base64'));
  }
  yield Buffer.from(rest.toString('base64') + tail);
}

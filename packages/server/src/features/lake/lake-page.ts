import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Failure } from '../../platform/errors.ts';
import { streamBytes } from '../../platform/stream-bytes.ts';
import { matchesTag } from '../../http/negotiate.ts';
import type { Page, PageReply } from '../../http/route.ts';
import type { FilePart } from '../../http/file-part.ts';
import { Streamed } from '../../http/streamed.ts';
import type { Lake } from './lake.ts';
import { LakeIndex } from './lake-index.ts';
import { MANIFEST_KEY } from './lake-key.ts';
import { type LakeObject, listObjects } from './list-objects.ts';
import { BUCKET, errorReply, listXml, locationXml, S3Error, xmlReply } from './s3-xml.ts';

/** Bytes `start <= i <= end`, the whole, or an unsatisfiable range. */
type ByteRange = { readonly start: number; readonly end: number } | 'whole' | 'none';

/**
 * The part of a body that a `Range` header requests. One range is served; several, or an invalid one, mean the whole,
 * as the standard allows.
 */
function readByteRange(header: string | undefined, bytes: number): ByteRange {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? [];
  if (from === '' && to === '') return 'whole';
  if (from === '') {
    const length = Math.min(Number(to), bytes);
    return length === 0 ? 'none' : { start: bytes - length, end: bytes - 1 };
  }
  const start = Number(from);
  const end = to === '' ? bytes - 1 : Math.min(Number(to), bytes - 1);
  if (to !== '' && Number(to) < start) return 'whole';
  return start >= bytes ? 'none' : { start, end };
}

const KEYS_MAX = 1_000;
const PARQUET_TYPE = 'application/vnd.apache.parquet';
const ALLOW = 'GET, HEAD, OPTIONS';
const cors: readonly string[] = [
  'Access-Control-Allow-Origin',
  '*',
  'Access-Control-Expose-Headers',
  'Accept-Ranges, Content-Length, Content-Range, ETag, Last-Modified, RateLimit, RateLimit-Enforced, RateLimit-Policy, Retry-After',
];
const preflight: PageReply = {
  status: 204,
  contentType: 'text/plain',
  body: '',
  headers: [
    ...cors,
    'Access-Control-Allow-Methods',
    ALLOW,
    'Access-Control-Allow-Headers',
    'Authorization, If-Match, If-Modified-Since, If-None-Match, If-Range, Range, X-API-Key',
    'Access-Control-Max-Age',
    '86400',
  ],
};
/** Unsupported parts of S3; parameters that only name or decorate a plain request are ignored. */
const SUBRESOURCES =
  /^(acl|attributes|cors|encryption|lifecycle|logging|notification|object-lock|ownershipControls|policy|replication|tagging|torrent|uploads|uploadId|versioning|versions|website)$/;

/** The lake as a read-only, anonymous bucket of S3, whose files have plain addresses as well. */
export function lakePages(lake: Pick<Lake, 'files' | 'find' | 'manifest'>): readonly Page[] {
  const index = new LakeIndex(lake);
  return [`/${BUCKET}`, `/${BUCKET}/*`].map((route) => ({
    path: route,
    methods: ['GET', 'HEAD', 'OPTIONS', 'PUT', 'POST', 'DELETE'],
    isCounted: true,
    ignoresBody: true,
    async handle({ request, admission }) {
      const [path = '', search = ''] = (request.url ?? '').replace(/^https?:\/\/[^/]*/i, '').split('?', 2);
      try {
        const find = (key: string) => lake.find(key, admission.address);
        return await serve({ find, index }, request, keyOf(path), new URLSearchParams(search));
      } catch (error) {
        return errorReply(s3ErrorOf(error), path);
      }
    },
  }));
}

function s3ErrorOf(error: unknown): S3Error {
  if (error instanceof S3Error) return error;
  if (!(error instanceof Failure) || error.code !== 'overloaded') throw error;
  return new S3Error('SlowDown', error.message, [
    'Retry-After',
    String(error.details.retryAfterSeconds ?? 1),
  ]);
}

async function serve(
  { find, index }: { readonly find: Lake['find']; readonly index: LakeIndex },
  request: IncomingMessage,
  key: string,
  search: URLSearchParams,
): Promise<PageReply | Streamed> {
  const { method } = request;
  if (method === 'OPTIONS') return preflight;
  if (method !== 'GET' && method !== 'HEAD')
    throw new S3Error('AccessDenied', 'The lake is read-only.', ['Allow', ALLOW]);
  const other = [...search.keys()].find((name) => SUBRESOURCES.test(name));
  if (other !== undefined) throw new S3Error('NotImplemented', `There is no ?${other} here.`);
  if (key === '') return serveBucket(index, request, search);
  if (key === MANIFEST_KEY) {
    const { manifest } = index;
    const { body } = manifest;
    const parts = { contentType: 'application/json', open: bytesOf(body), memory: body };
    return serveObject(request, manifest, parts);
  }
  const found = await find(key);
  if (!found)
    throw new S3Error('NoSuchKey', 'No such file. The day may not be over, or may not be recorded.');
  const { file, open } = found;
  return serveObject(request, file, { contentType: PARQUET_TYPE, open });
}

function bytesOf(body: Buffer): OpenRange {
  return (start, end) => streamBytes(body.subarray(start, end + 1));
}

/** The key after `/lake/` in a path, in any escaping. It is looked up, never used as a path. */
function keyOf(pathname: string): string {
  try {
    return decodeURIComponent(pathname.slice(BUCKET.length + 2));
  } catch {
    throw new S3Error('InvalidURI', 'The address cannot be decoded.');
  }
}

function serveBucket(index: LakeIndex, { method }: IncomingMessage, search: URLSearchParams): PageReply {
  if (search.has('location')) return xmlReply(locationXml());
  const region = ['x-amz-bucket-region', 'us-east-1'];
  if (method === 'HEAD') return xmlReply('', region);
  const isVersion2 = search.get('list-type') === '2';
  const text = (name: string): string => search.get(name) ?? '';
  const token = search.get('continuation-token') ?? undefined;
  const encoding = text('encoding-type');
  if (encoding !== '' && encoding !== 'url')
    throw new S3Error('InvalidArgument', 'encoding-type must be url.');
  const limitText = search.get('max-keys') ?? String(KEYS_MAX);
  if (!/^\d{1,9}$/.test(limitText)) throw new S3Error('InvalidArgument', 'max-keys must be a whole number.');
  const limit = Math.min(Number(limitText), KEYS_MAX);
  const after = token === undefined ? text(isVersion2 ? 'start-after' : 'marker') : afterToken(token);
  const query = { prefix: text('prefix'), delimiter: text('delimiter'), after, limit };
  const listing = limit === 0 ? { objects: [], prefixes: [] } : listObjects(index.objects, query);
  const { next } = listing;
  const nextToken = next === undefined ? undefined : Buffer.from(next).toString('base64url');
  const given = { marker: text('marker'), startAfter: text('start-after'), token, nextToken };
  const isUrlEncoded = encoding === 'url';
  return xmlReply(listXml({ ...listing, ...query, ...given, isVersion2, isUrlEncoded }), region);
}

function afterToken(token: string): string {
  const key = Buffer.from(token, 'base64url').toString();
  if (key !== '' && Buffer.from(key).toString('base64url') === token) return key;
  throw new S3Error('InvalidArgument', 'The continuation token is not one of this service.');
}

/** Opens bytes `start <= i <= end`. */
type OpenRange = (start: number, end: number) => Readable | FilePart;

interface ObjectParts {
  readonly contentType: string;
  readonly open: OpenRange;
  /** The memory of the bytes, if they are in memory. */
  readonly memory?: Buffer;
}

function serveObject(
  { headers }: IncomingMessage,
  { bytes, md5, madeAtMs }: LakeObject,
  { contentType, open, memory }: ObjectParts,
): Streamed {
  const etag = `"${md5}"`;
  const modified = new Date(madeAtMs).toUTCString();
  // Any file may be made again, and a cache must not join parts of two: the ETag makes it cheap to ask each time.
  const shared = ['ETag', etag, 'Last-Modified', modified, 'Cache-Control', 'no-cache', ...cors];
  const modifiedMs = Math.floor(madeAtMs / 1_000) * 1_000;
  if (headers['if-match'] !== undefined && !matchesTag(headers['if-match'], etag))
    throw new S3Error('PreconditionFailed', 'The file has another ETag.');
  const isKnown =
    headers['if-none-match'] === undefined
      ? Date.parse(headers['if-modified-since'] ?? '') >= modifiedMs
      : matchesTag(headers['if-none-match'], etag);
  if (isKnown) return new Streamed({ status: 304, headers: shared });
  const condition = headers['if-range'];
  const isSame = condition === undefined || condition === etag || condition === modified;
  const range = readByteRange(isSame ? headers.range : undefined, bytes);
  if (range === 'none')
    throw new S3Error('InvalidRange', 'The range lies beyond the end of the file.', [
      'Content-Range',
      `bytes */${bytes}`,
    ]);
  const { start, end } = range === 'whole' ? { start: 0, end: bytes - 1 } : range;
  const isPart = range !== 'whole';
  return new Streamed({
    status: isPart ? 206 : 200,
    headers: [
      'Content-Type',
      contentType,
      'Content-Length',
      String(end - start + 1),
      'Accept-Ranges',
      'bytes',
      ...(isPart ? ['Content-Range', `bytes ${start}-${end}/${bytes}`] : []),
      ...shared,
    ],
    open: () => open(start, end),
    ...(memory && { memory }),
  });
}

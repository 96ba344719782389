import { corsHeaders } from '../../http/answer.ts';
import type { PageReply } from '../../http/route.ts';
import type { Listing } from './list-objects.ts';

export const BUCKET = 'lake';
const NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/';
const XML_TYPE = 'application/xml';
const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';

/** Errors of S3: code, and HTTP status. */
const statuses = {
  AccessDenied: 405,
  InvalidArgument: 400,
  InvalidURI: 400,
  InvalidRange: 416,
  NoSuchKey: 404,
  NotImplemented: 501,
  PreconditionFailed: 412,
  SlowDown: 503,
} as const;

export type S3Code = keyof typeof statuses;

/** An error as S3 clients read it. */
export class S3Error extends Error {
  override readonly name = 'S3Error';
  readonly code: S3Code;
  readonly headers: readonly string[];

  constructor(code: S3Code, message: string, headers: readonly string[] = []) {
    super(message);
    this.code = code;
    this.headers = headers;
  }
}

export function errorReply({ code, message, headers }: S3Error, path: string): PageReply {
  const body = tag('Error', tag('Code', code) + tag('Message', message) + tag('Resource', path));
  return { ...xmlReply(body, headers), status: statuses[code] };
}

export function xmlReply(body: string, headers: readonly string[] = []): PageReply {
  return {
    status: 200,
    contentType: XML_TYPE,
    body: DECLARATION + body,
    headers: [...corsHeaders, ...headers],
  };
}

/** No region: the one that clients assume. */
export function locationXml(): string {
  return `<LocationConstraint xmlns="${NAMESPACE}"></LocationConstraint>`;
}

export interface ListAnswer extends Listing {
  readonly isVersion2: boolean;
  readonly prefix: string;
  readonly delimiter: string;
  /** In the caller's form. */
  readonly marker: string;
  readonly startAfter: string;
  readonly token: string | undefined;
  readonly nextToken: string | undefined;
  readonly limit: number;
  /** Whether keys are escaped, for clients that cannot read every character in XML. */
  readonly isUrlEncoded: boolean;
}

export function listXml(answer: ListAnswer): string {
  const { isVersion2, objects, prefixes, next, isUrlEncoded, limit } = answer;
  const name = (text: string): string =>
    isUrlEncoded ? encodeURIComponent(text).replaceAll('%2F', '/') : text;
  const optional = (element: string, text: string): string => (text === '' ? '' : tag(element, name(text)));
  const paging = isVersion2
    ? tag('KeyCount', String(objects.length + prefixes.length)) +
      optional('StartAfter', answer.startAfter) +
      (answer.token === undefined ? '' : tag('ContinuationToken', answer.token)) +
      (answer.nextToken === undefined ? '' : tag('NextContinuationToken', answer.nextToken))
    : tag('Marker', name(answer.marker)) + (next === undefined ? '' : tag('NextMarker', name(next)));
  const contents = objects.map(({ key, bytes, madeAtMs, md5 }) =>
    tag(
      'Contents',
      tag('Key', name(key)) +
        tag('LastModified', new Date(madeAtMs).toISOString()) +
        tag('ETag', `"${md5}"`) +
        tag('Size', String(bytes)) +
        tag('StorageClass', 'STANDARD'),
    ),
  );
  const common = prefixes.map((prefix) => tag('CommonPrefixes', tag('Prefix', name(prefix))));
  return (
    `<ListBucketResult xmlns="${NAMESPACE}">${tag('Name', BUCKET)}${tag('Prefix', name(answer.prefix))}` +
    optional('Delimiter', answer.delimiter) +
    tag('MaxKeys', String(limit)) +
    (isUrlEncoded ? tag('EncodingType', 'url') : '') +
    tag('IsTruncated', String(next !== undefined)) +
    `${paging}${contents.join('')}${common.join('')}</ListBucketResult>`
  );
}

const parents = new Set(['Error', 'Contents', 'CommonPrefixes']);

/** An element; the content of a parent is XML already. */
function tag(name: string, content: string): string {
  return `<${name}>${parents.has(name) ? content : escapeXml(content)}</${name}>`;
}

function escapeXml(text: string): string {
  return (
    text
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      // Not allowed in XML at all.
      .replaceAll(/[\p{Cc}]/gu, '\uFFFD')
  );
}

import { createHash, createHmac } from 'node:crypto';

export interface S3Keys {
  readonly id: string;
  readonly secret: string;
  /** Session token of temporary keys. */
  readonly token?: string;
}

export interface SignedRequest {
  readonly method: string;
  /** Without a query. */
  readonly url: URL;
  readonly query?: Readonly<Record<string, string>>;
  /** Hash of the body, in hex. */
  readonly sha256: string;
  readonly keys: S3Keys;
  readonly region: string;
  readonly nowMs: number;
  /** Further headers, in lower case. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export const EMPTY_SHA256 = createHash('sha256').digest('hex');

/** A request as it is sent. */
export interface Signed {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

/** Signs a request to S3 (Signature Version 4). */
export function signV4({
  method,
  url,
  query = {},
  sha256,
  keys,
  region,
  nowMs,
  headers: others,
}: SignedRequest): Signed {
  const time = new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const headers: Readonly<Record<string, string>> = {
    host: url.host,
    'x-amz-content-sha256': sha256,
    'x-amz-date': time,
    ...(keys.token !== undefined && { 'x-amz-security-token': keys.token }),
    ...others,
  };
  const sorted = Object.entries(headers).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const names = sorted.map(([name]) => name).join(';');
  const lines = sorted.map(([name, value]) => `${name}:${value}\n`);
  const pairs = Object.entries(query).map(([name, value]) => `${escapeText(name)}=${escapeText(value)}`);
  const search = pairs.toSorted().join('&');
  const canonical = [method, url.pathname, search, lines.join(''), names, sha256].join('\n');
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`;
  const hash = createHash('sha256').update(canonical).digest('hex');
  const key = scope
    .split('/')
    .reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${keys.secret}`);
  const signature = hmac(key, ['AWS4-HMAC-SHA256', time, scope, hash].join('\n')).toString('hex');
  const authorization = `AWS4-HMAC-SHA256 Credential=${keys.id}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
  return {
    url: search === '' ? url : new URL(`?${search}`, url),
    headers: { ...headers, authorization },
  };
}

/** Escapes a key for a signed path, except slashes. */
export function escapeKey(key: string): string {
  return escapeText(key).replaceAll('%2F', '/');
}

/** Everything but unreserved characters is escaped. */
function escapeText(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

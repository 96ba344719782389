import type { Encoding } from './answer.ts';

/** In order of preference if the client has none. */
const offered: readonly Encoding[] = ['br', 'gzip', 'identity'];
/** Cached headers; clients send few different ones. */
const MEMO_ENTRIES_MAX = 512;
/** A longer header is not parsed: browsers send 30 characters, and requests are not counted yet. */
const HEADER_CHARS_MAX = 512;
/** Below any weight that a header can specify. */
const UNASKED_WEIGHT = 0.0001;
const memo = new Map<string, Encoding>();

/** The best encoding for an `Accept-Encoding` header (RFC 9110 §12.5.3). */
export function acceptedEncoding(header: string | undefined): Encoding {
  if (header === undefined || header.length > HEADER_CHARS_MAX) return 'identity';
  const known = memo.get(header);
  if (known) return known;
  const encoding = chooseEncoding(header);
  if (memo.size < MEMO_ENTRIES_MAX) memo.set(header, encoding);
  return encoding;
}

function chooseEncoding(header: string): Encoding {
  const weights = new Map<string, number>();
  for (const entry of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = entry.split(';').map((part) => part.trim());
    const q = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
    // An invalid weight invalidates the whole entry.
    if (name !== '' && /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(q))
      weights.set(name === 'x-gzip' ? 'gzip' : name, Number(q));
  }
  // Every requested encoding wins over the identity, which need not be requested.
  const others = weights.get('*');
  const weightOf = (name: Encoding): number =>
    weights.get(name) ?? (name === 'identity' ? Math.min(others ?? 1, UNASKED_WEIGHT) : (others ?? 0));
  let best: Encoding = 'identity';
  let weight = 0;
  for (const name of offered) {
    if (weightOf(name) > weight) {
      best = name;
      weight = weightOf(name);
    }
  }
  return best;
}

/** Whether an `If-None-Match` header names this strong tag, compared weakly (RFC 9110 §13.1.2). */
export function matchesTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header === etag || header.trim() === '*') return true;
  return (header.match(/(?:W\/)?"[^"]*"/g) ?? []).some((tag) => tag.replace(/^W\//, '') === etag);
}

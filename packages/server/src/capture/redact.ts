const REMOVED = '[removed]';

/** A shorter secret would match payloads by chance; it is still removed by the name of its field. */
const SECRET_CHARS_MIN = 6;
const SECRET_HEADER = /auth|cookie|key|token|secret|sign|pass|session/i;
/** Names of query parameters and JSON fields. `token_id` and similar are public, and stay. */
const SECRET_FIELD =
  /^(.*[-_])?(api[-_]?key|(access|auth|api|bearer)?[-_]?token|secret([-_]?key)?|signature|sign|password|passphrase|authorization)$|^key$/i;

/** Headers of an answer that are kept. All others, including cookies, are left out. */
const ANSWER_HEADER =
  /^(content-type|date|age|cache-control|expires|etag|last-modified|retry-after|deprecation|sunset|warning|link|location|server|cf-mitigated|cf-cache-status|x-cache|(x-)?ratelimit.*|x-mbx-used.*|x-bapi-limit.*|gw-ratelimit.*)$/;

/** Removes keys and tokens by the names of their fields, and configured ones by their values wherever they occur. */
export class Redactor {
  readonly #spellings: readonly string[];

  constructor(secrets: readonly string[]) {
    this.#spellings = [...new Set(secrets.flatMap(partsOfSecret).flatMap(spellingsOf))].toSorted(
      (a, b) => b.length - a.length,
    );
  }

  /** Only by value: answers and frames stay unchanged otherwise. */
  text(text: string): string {
    let redacted = text;
    for (const spelling of this.#spellings) redacted = redacted.replaceAll(spelling, REMOVED);
    return redacted;
  }

  /** Headers of a request. */
  headers(headers: Readonly<Record<string, string>>): Record<string, string> {
    return this.#record(
      Object.entries(headers).map(([name, value]) => [name, SECRET_HEADER.test(name) ? REMOVED : value]),
    );
  }

  answerHeaders(headers: Iterable<readonly [name: string, value: unknown]>): Record<string, string> {
    const kept = [...headers].filter(([name]) => ANSWER_HEADER.test(name.toLowerCase()));
    return this.#record(kept.map(([name, value]) => [name.toLowerCase(), String(value)]));
  }

  /** Path and query of a request. */
  path(path: string): string {
    return this.text(redactQuery(path));
  }

  /** Body of a request. */
  requestBody(body: string): string {
    return this.text(redactJson(body));
  }

  #record(entries: readonly (readonly [string, string])[]): Record<string, string> {
    return Object.fromEntries(entries.map(([name, value]) => [name, this.text(value)]));
  }
}

/** Also used by a replay, which must look up a request under its redacted name. */
export function redactQuery(path: string): string {
  const [before, query] = split(path, '?');
  if (query === undefined) return path;
  const parameters = query.split('&').map((parameter) => {
    const [name, value] = split(parameter, '=');
    return value !== undefined && SECRET_FIELD.test(decode(name)) ? `${name}=${REMOVED}` : parameter;
  });
  return `${before}?${parameters.join('&')}`;
}

export function redactJson(body: string): string {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return body;
  }
  let isChanged = false;
  const redacted = JSON.stringify(value, (name, part: unknown) => {
    if (!SECRET_FIELD.test(name) || (typeof part !== 'string' && typeof part !== 'number')) return part;
    isChanged = true;
    return REMOVED;
  });
  return isChanged ? redacted : body;
}

/** A secret; if it is a URL, its login, password and query values. */
function partsOfSecret(secret: string): readonly string[] {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(secret) || !URL.canParse(secret)) return [secret];
  const { username, password, searchParams } = new URL(secret);
  const login = [decode(username), decode(password)];
  const basic = username === '' && password === '' ? [] : [Buffer.from(login.join(':')).toString('base64')];
  return [secret, ...login, ...basic, ...searchParams.values()];
}

function spellingsOf(secret: string): readonly string[] {
  if (secret.length < SECRET_CHARS_MIN) return [];
  return [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)];
}

function split(text: string, at: string): readonly [string, string?] {
  const i = text.indexOf(at);
  return i === -1 ? [text] : [text.slice(0, i), text.slice(i + 1)];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

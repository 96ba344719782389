import { type DestinationStream, destination, pino, stdSerializers } from 'pino';
import { maskKeys } from './key-text.ts';

/** The service's log. Every line passes `mask`, so that no key is ever written. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

interface LogOptions {
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** Values of secret settings: masked wherever they turn up. */
  readonly secrets?: readonly string[];
  readonly to?: DestinationStream;
  /** Receives the newest lines as they are written, at most `RECENT_LINES_MAX` of them. */
  readonly recentLines?: string[];
}

const RECENT_LINES_MAX = 100;

const STDERR = 2;

/** JSON lines on stderr: stdout carries only the ready line. */
export function createLog({
  level,
  secrets = [],
  to = destination(STDERR),
  recentLines = [],
}: LogOptions): Log {
  const mask = maskOf(secrets);
  const write = (line: string): string => {
    const masked = mask(line);
    recentLines.push(masked);
    if (recentLines.length > RECENT_LINES_MAX) recentLines.shift();
    return masked;
  };
  return pino({ level, base: null, formatters: { log: withErrors }, hooks: { streamWrite: write } }, to);
}

/** An error under any name keeps its message, stack and cause: as plain JSON it would be `{}`. */
function withErrors(fields: Record<string, unknown>): Record<string, unknown> {
  const errors = Object.entries(fields).filter(([, value]) => value instanceof Error);
  if (errors.length === 0) return fields;
  const printed = errors.map(([name, error]) => [name, stdSerializers.err(error as Error)] as const);
  return { ...fields, ...Object.fromEntries(printed) };
}

const MASKED = '***';
const QUERY_KEY = /(api_key(?:=|%3d))[^&\s"'\\#]+/gi;
const SECRET_FIELD =
  /("(?:authorization|proxy-authorization|x-api-key|api_key|apikey|cookie|set-cookie)":)(?:"(?:[^"\\]|\\.)*"|\[[^\]]*\])/gi;
const URL_PASSWORD = /(\/\/[^\s/:@"]*:)[^\s/@"]+@/g;

/** Replaces secrets, keys and passwords in a text. */
export function maskOf(secrets: readonly string[]): (line: string) => string {
  const spellings = secrets
    .filter((secret) => secret !== '')
    .flatMap((secret) => [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]);
  return (line) => {
    let masked = maskKeys(line)
      .replace(SECRET_FIELD, `$1"${MASKED}"`)
      .replace(QUERY_KEY, `$1${MASKED}`)
      .replace(URL_PASSWORD, `$1${MASKED}@`);
    for (const spelling of spellings) masked = masked.replaceAll(spelling, MASKED);
    return masked;
  };
}

/** Warns the first time a kind of problem occurs, then stays quiet about it. */
export type WarnOnce = (kind: string, fields: object, message: string) => void;

const KINDS_MAX = 100;

export function warnOnce(log: Log, kindsMax = KINDS_MAX): WarnOnce {
  const seen = new Set<string>();
  return (kind, fields, message) => {
    if (seen.has(kind) || seen.size > kindsMax) return;
    if (seen.size === kindsMax) {
      seen.add(kind);
      log.warn({ kinds: kindsMax }, 'further kinds of problems are counted, not logged');
      return;
    }
    seen.add(kind);
    log.warn(fields, message);
  };
}

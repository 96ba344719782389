import type { SourceStatus } from '@crosstape/core';

export type BadStatus = Exclude<SourceStatus, 'ok'>;

export interface SourceFailureDetails {
  /** Asking again before this time is no use. */
  readonly retryAtMs?: number;
  /** No request was sent, so none was counted. */
  readonly isUnsent?: boolean;
  readonly cause?: unknown;
}

/** Why a source returned no data, and its resulting health. The message is one sentence. */
export class SourceFailure extends Error {
  override readonly name = 'SourceFailure';
  readonly status: BadStatus;
  readonly retryAtMs: number;
  readonly isUnsent: boolean;

  constructor(status: BadStatus, message: string, details: SourceFailureDetails = {}) {
    const { retryAtMs = 0, isUnsent = false, cause } = details;
    super(message, { cause });
    this.status = status;
    this.retryAtMs = retryAtMs;
    this.isUnsent = isUnsent;
  }
}

/** The status of a source for an unsuccessful HTTP status. */
export function statusOfHttp(httpStatus: number): BadStatus {
  if (httpStatus === 401 || httpStatus === 403 || httpStatus === 451) return 'blocked';
  if (httpStatus === 418 || httpStatus === 429) return 'limited';
  // The venue answered but refused the request: the address or the parameters are no longer right.
  if (httpStatus >= 400 && httpStatus < 500 && httpStatus !== 408) return 'changed';
  return 'down';
}

/** Errors of looking an address up, and of connecting to it. */
const UNSENT_REASONS: ReadonlySet<string> = new Set([
  'ENOTFOUND',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** A network error as a failure. */
export function unreachable(error: unknown): SourceFailure {
  const reason = reasonOf(error);
  return new SourceFailure('down', `The venue cannot be reached (${reason}).`, {
    isUnsent: UNSENT_REASONS.has(reason),
    cause: error,
  });
}

/** A network error in a few words: its system code, at any depth. */
export function reasonOf(error: unknown): string {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string') return at.code;
    if (at.cause === undefined) return at.message;
  }
  return String(error);
}

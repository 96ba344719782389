import type { SourceStatus } from '@crosstape/core';

export type BadStatus = Exclude<SourceStatus, 'ok'>;

export interface SourceFailureDetails {
  /** Asking again before this time is no use. */
  readonly retryAtMs?: number;
  readonly cause?: unknown;
}

/** Why a source gave nothing good, and what that makes of its health. The message is one sentence. */
export class SourceFailure extends Error {
  override readonly name = 'SourceFailure';
  readonly status: BadStatus;
  readonly retryAtMs: number;

  constructor(status: BadStatus, message: string, { retryAtMs = 0, cause }: SourceFailureDetails = {}) {
    super(message, { cause });
    this.status = status;
    this.retryAtMs = retryAtMs;
  }
}

/** What an HTTP status other than success says of a source. */
export function statusOfHttp(httpStatus: number): BadStatus {
  if (httpStatus === 401 || httpStatus === 403 || httpStatus === 451) return 'blocked';
  if (httpStatus === 418 || httpStatus === 429) return 'limited';
  // It understood that we asked, not what: the address or the question is no longer the right one.
  if (httpStatus >= 400 && httpStatus < 500 && httpStatus !== 408) return 'changed';
  return 'down';
}

/** A network error in a few words: the code that the system gave it, wherever it hides. */
export function reasonOf(error: unknown): string {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string') return at.code;
    if (at.cause === undefined) return at.message;
  }
  return String(error);
}

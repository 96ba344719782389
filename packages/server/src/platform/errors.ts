/** Every error of a request: code, HTTP status, and whether a later retry can help. */
export const failureCodes = {
  bad_request: { status: 400, retry: 'never' },
  unauthorized: { status: 401, retry: 'never' },
  forbidden: { status: 403, retry: 'never' },
  not_found: { status: 404, retry: 'never' },
  method_not_allowed: { status: 405, retry: 'never' },
  too_large: { status: 413, retry: 'never' },
  rate_limited: { status: 429, retry: 'later' },
  internal: { status: 500, retry: 'later' },
  not_implemented: { status: 501, retry: 'never' },
  overloaded: { status: 503, retry: 'later' },
  upstream_unavailable: { status: 503, retry: 'later' },
} as const satisfies Record<string, { status: number; retry: 'never' | 'later' }>;

export type FailureCode = keyof typeof failureCodes;

export interface FailureDetails {
  /** More for the answer's `meta`. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /** Sent as `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** Sent as `Allow`. */
  readonly allow?: readonly string[];
  readonly cause?: unknown;
}

/** An expected failure. `message` is one sentence for the caller; the cause stays in the log. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly code: FailureCode;
  readonly details: FailureDetails;

  constructor(code: FailureCode, message: string, details: FailureDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.details = details;
  }
}

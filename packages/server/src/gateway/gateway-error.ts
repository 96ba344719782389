import { Failure, type FailureCode } from '../platform/errors.ts';
import type { ErrorCode } from './server-frames.ts';

interface GatewayErrorOptions {
  /** Also close the socket with this code. */
  readonly closeWith?: number;
  /** Further fields of the error frame. */
  readonly details?: {
    /** When a retry may help; absent: not before something else has changed. */
    readonly retryAfterMs?: number;
    /** Names the topic, for one that is already subscribed to. */
    readonly symbol?: string;
    readonly market?: string;
  };
}

/** A client's frame was refused. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly code: ErrorCode;
  readonly closeWith: number | undefined;
  readonly details: NonNullable<GatewayErrorOptions['details']>;

  constructor(code: ErrorCode, message: string, { closeWith, details = {} }: GatewayErrorOptions = {}) {
    super(message);
    this.code = code;
    this.closeWith = closeWith;
    this.details = details;
  }
}

/** The gateway's code for each failure code of the service. */
const codes: Readonly<Partial<Record<FailureCode, ErrorCode>>> = {
  bad_request: 'bad_request',
  too_large: 'bad_request',
  unauthorized: 'unauthorized',
  not_found: 'unknown_symbol',
  rate_limited: 'rate_limited',
  overloaded: 'rate_limited',
};

/** Failures that are temporary. */
const passing: ReadonlySet<FailureCode> = new Set<FailureCode>(['overloaded', 'upstream_unavailable']);
const PASSING_MS = 5_000;

/** The error to send; `report` logs internal errors and returns the id of the log entry. */
export function gatewayErrorOf(error: unknown, report: (error: unknown) => string): GatewayError {
  if (error instanceof GatewayError) return error;
  const code = error instanceof Failure ? codes[error.code] : undefined;
  const isPassing = error instanceof Failure && passing.has(error.code);
  const options = isPassing ? { details: { retryAfterMs: PASSING_MS } } : {};
  if (error instanceof Failure && code) return new GatewayError(code, error.message, options);
  const id = report(error);
  const what = error instanceof Failure ? error.message : 'Internal error.';
  return new GatewayError('internal', `${what} Error id: ${id}.`, options);
}

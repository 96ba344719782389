/** A failure that the service reported: `error`, `meta.code` and the rest of its body. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** `bad_request`, `not_found`, `rate_limited`, … */
  readonly code: string;
  /** When a retry may help, according to the service. */
  readonly retryAfterMs: number | undefined;
  /** Sources that failed, unknown coins, and other details from the service. */
  readonly meta: Readonly<Record<string, unknown>>;

  constructor(options: {
    readonly status: number;
    readonly message: string;
    readonly meta: Readonly<Record<string, unknown>>;
    readonly retryAfterMs: number | undefined;
  }) {
    super(options.message);
    this.status = options.status;
    this.meta = options.meta;
    this.code = typeof options.meta.code === 'string' ? options.meta.code : `http_${options.status}`;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** The service cannot be reached, or the answer is not the service's. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

/** Why the gateway refused a subscription. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

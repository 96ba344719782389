import type { Clock, Timer } from '@crosstape/core';

/** A frame that one socket cannot read reaches the others within this time, if at all. */
const TOGETHER_MS = 5_000;
/** Closer intervals are merged: a repeatedly malformed wire does not fill the ledger. */
const JOINED_MS = 60_000;
/** How often a growing unreadable span is reported while readable and unreadable frames alternate. */
const GROWTH_EVERY_MS = 1_000;

/** Half open, in ms. */
export interface UnreadableSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface UnreadableSpansOptions {
  readonly clock: Clock;
  /** The content of a frame is up to this much older than the frame. */
  readonly flightMs: () => number;
  /** Reported again with the same start when it has grown. */
  readonly onStretch: (stretch: UnreadableSpan) => void;
}

/**
 * Which sockets refused frames, and the spans without a reliable socket because all of them did. An unreadable frame
 * arrives on each socket at its own time, with readable ones in between: later readable frames of a socket prove
 * nothing about what it refused.
 */
export class UnreadableSpans {
  readonly #options: UnreadableSpansOptions;
  /** From the first to the last refusal of each socket, where no two are further apart than `TOGETHER_MS`. */
  readonly #refusals = new Map<number, UnreadableSpan>();
  /** Since when no socket is reliable; until trades arrive. */
  #unsureFromMs: number | undefined;
  #newest: UnreadableSpan | undefined;
  /** It has grown since the last report. */
  #hasGrown = false;
  /** Until it may be reported again. */
  #growing: Timer | undefined;

  constructor(options: UnreadableSpansOptions) {
    this.#options = options;
  }

  refuse(socket: number, atMs: number): void {
    const last = this.#refusals.get(socket);
    const isSame = last !== undefined && atMs - last.toMs <= TOGETHER_MS;
    this.#refusals.set(socket, { fromMs: isSame ? last.fromMs : atMs, toMs: atMs });
  }

  leave(socket: number): void {
    this.#refusals.delete(socket);
  }

  /** No socket is reliable at a time when each of these has refused something about then, or since. */
  look(up: Iterable<number>, atMs: number): void {
    const sinceMs = atMs - TOGETHER_MS;
    const sockets = [...up];
    const refusals = sockets.map((socket) => this.#refusals.get(socket)).filter((one) => one !== undefined);
    const recent = refusals.filter(({ toMs }) => toMs >= sinceMs);
    if (recent.length === 0 || recent.length < sockets.length) return;
    const fromMs = Math.max(sinceMs, Math.min(...recent.map((one) => one.fromMs)));
    this.#unsureFromMs = Math.min(this.#unsureFromMs ?? fromMs, fromMs);
  }

  /** Up to when everything received is known to be read: what one socket refused may be refused by all. */
  completeUntilMs(lastReceivedMs: number): number {
    const sinceMs = lastReceivedMs - TOGETHER_MS;
    const recent = [...this.#refusals.values()].filter(({ toMs }) => toMs >= sinceMs);
    return Math.max(sinceMs, Math.min(lastReceivedMs, ...recent.map(({ fromMs }) => fromMs)));
  }

  /** Trades arrived: an unreliable span ends here. Returns its end. */
  end(atMs: number): number | undefined {
    if (this.#unsureFromMs === undefined) return undefined;
    const fromMs = this.#unsureFromMs - this.#options.flightMs();
    // Everything refused so far is from before its end.
    this.forget();
    const span = { fromMs, toMs: Math.max(atMs, fromMs + 1) };
    const joined = joinUnreadable(this.#newest, span);
    if (!joined) this.report();
    this.#newest = joined ?? span;
    this.#hasGrown = true;
    if (!this.#growing) this.report();
    return span.toMs;
  }

  /** The refused frames are part of a larger gap. */
  forget(): void {
    this.#refusals.clear();
    this.#unsureFromMs = undefined;
  }

  /** Later frames are not part of the reported span. */
  close(): void {
    this.report();
    this.#newest = undefined;
  }

  /** Reports growth at once. */
  report(): void {
    if (!this.#newest || !this.#hasGrown) return;
    this.#hasGrown = false;
    this.#growing?.cancel();
    this.#growing = this.#options.clock.after(GROWTH_EVERY_MS, () => {
      this.#growing = undefined;
      this.report();
    });
    this.#options.onStretch(this.#newest);
  }

  stop(): void {
    this.report();
    this.#growing?.cancel();
    this.#growing = undefined;
  }
}

/**
 * Both spans as one; `undefined` if they are too far apart. The clock may have been set back in between: what was
 * unreadable before stays so.
 */
export function joinUnreadable(
  before: UnreadableSpan | undefined,
  { fromMs, toMs }: UnreadableSpan,
): UnreadableSpan | undefined {
  if (!before || fromMs > before.toMs + JOINED_MS || toMs < before.fromMs) return undefined;
  return { fromMs: Math.min(before.fromMs, fromMs), toMs: Math.max(before.toMs, toMs) };
}

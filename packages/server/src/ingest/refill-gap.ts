/**
 * A venue's history may lag behind its feed: what may be missing from the first answer is requested again after this
 * time. OKX's lag is reported as 69 minutes.
 */
const ASK_AGAIN_MS: readonly number[] = [30 * 60_000, 120 * 60_000];

/** A time without data from a feed, as far as it is not refilled: half open, in ms. */
export interface RefillGap {
  readonly fromMs: number;
  readonly toMs: number;
  /** When to request it. */
  readonly dueMs: number;
  /** How often all its keys were answered. */
  readonly answers: number;
  /** When that was first. */
  readonly firstAnswerMs?: number;
  /** Keys whose rows may be missing; absent before the first answer. */
  readonly openKeys?: ReadonlySet<string>;
}

/** The history of one key. */
export interface KeyPast {
  /** Nothing is left out since then. */
  readonly sinceMs: number;
  /** Time of its newest row; 0 if it has none. */
  readonly newestMs: number;
  /** Time of the newest row of any key known when this one was requested: the venue's history reached that far. */
  readonly reportedMs: number;
}

export interface SettledGap {
  /** Up to here the gap is bridged. */
  readonly bridgedToMs: number;
  /** The rest, and when to request it again; absent if nothing is left. */
  readonly rest?: RefillGap;
  /** The rest is not requested again. */
  readonly isLast: boolean;
}

/**
 * How far answers bridge a gap. The first answer counts up to the newest row of each key: later events may not be
 * available yet. From the second one on, a key without newer rows counts up to `reportedMs`. A key without a row in the
 * gap at the last answer had none.
 */
export function settleGap(gap: RefillGap, past: ReadonlyMap<string, KeyPast>, nowMs: number): SettledGap {
  const answers = gap.answers + 1;
  const firstAnswerMs = gap.firstAnswerMs ?? nowMs;
  const waitMs = ASK_AGAIN_MS[answers - 1];
  const isLast = waitMs === undefined;
  const openKeys = new Set<string>();
  let bridgedToMs = gap.toMs;
  for (const [key, { newestMs, reportedMs }] of past) {
    if (gap.openKeys?.has(key) === false) continue;
    const isQuiet = isLast && newestMs <= gap.fromMs;
    const reachedMs = answers === 1 ? newestMs : Math.max(newestMs, reportedMs);
    if (isQuiet || reachedMs >= gap.toMs) continue;
    openKeys.add(key);
    bridgedToMs = Math.min(bridgedToMs, Math.max(reachedMs, gap.fromMs));
  }
  if (openKeys.size === 0) return { bridgedToMs, isLast };
  const dueMs = firstAnswerMs + (waitMs ?? 0);
  const rest = { fromMs: bridgedToMs, toMs: gap.toMs, dueMs, answers, firstAnswerMs, openKeys };
  return { bridgedToMs, rest, isLast };
}

import type { RecordGap, ReplayStatus } from './replay-player.ts';

/** The text of the replay bar. */
interface BarWords {
  readonly gap?: RecordGap | undefined;
  /** Whether the rest of the gap can be skipped. */
  readonly canSkip: boolean;
  readonly text: string;
  readonly isProblem: boolean;
}

/** A gap is shown for this long after its end. */
const OVER_MS = 1_000;
const states = { loading: 'Loading…', ended: 'Caught up with live', playing: '', paused: '' } as const;

/** The text of a replay; `fault` is what is wrong with the requested time. */
export function barWords(status: ReplayStatus | undefined, fault: string | undefined): BarWords {
  if (fault !== undefined) return { canSkip: false, text: fault, isProblem: true };
  if (!status) return { canSkip: false, text: '', isProblem: false };
  const { nowMs, problem } = status;
  const gap = status.gap && status.gap.to > nowMs - OVER_MS ? status.gap : undefined;
  // The reason a gap could not be skipped is shown beside it.
  const text = problem ?? (gap ? '' : states[status.state]);
  const canSkip = gap !== undefined && status.canSkip && gap.to > nowMs;
  return { gap, canSkip, text, isProblem: problem !== undefined };
}

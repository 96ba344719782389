import type { Tape, TapeDeal } from '../market/tape.ts';

/** The trades of a tape with `fromMs <= ts < toMs`. */
export function dealsBetween(tape: Tape, fromMs: number, toMs: number): readonly TapeDeal[] {
  return tape.read(tape.nextAt(fromMs), tape.nextAt(toMs));
}

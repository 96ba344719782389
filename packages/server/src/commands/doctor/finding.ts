/** `fail`: the service would not work; `warn`: it would, but not as it should. */
export type Verdict = 'ok' | 'warn' | 'fail';

/** One line of what a doctor says. */
export interface Finding {
  readonly what: string;
  readonly verdict: Verdict;
  readonly detail: string;
}

export function mark(verdict: Verdict): string {
  return { ok: '✓', warn: '!', fail: '✗' }[verdict];
}

/** `fail`: the service would not work; `warn`: it would, but with problems. */
export type Verdict = 'ok' | 'warn' | 'fail';

/** One line of the report. */
export interface Finding {
  readonly what: string;
  readonly verdict: Verdict;
  readonly detail: string;
}

export function mark(verdict: Verdict): string {
  return { ok: '✓', warn: '!', fail: '✗' }[verdict];
}

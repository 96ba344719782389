/** Where figures come from: the venues, a simulated market, or a capture that is played again. */
export type UpstreamMode = 'live' | 'sim' | 'replay';

/** Stands before the name of every source whose figures are not live. */
export function sourcePrefix(mode: UpstreamMode): string {
  return mode === 'live' ? '' : `${mode}:`;
}

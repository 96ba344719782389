/** The source of data: the venues, a simulated market, or a replayed capture. */
export type UpstreamMode = 'live' | 'sim' | 'replay';

/** Prefix of the name of every source whose data are not live. */
export function sourcePrefix(mode: UpstreamMode): string {
  return mode === 'live' ? '' : `${mode}:`;
}

import type { VenueRecordingOptions } from '../venue-recording-options.ts';

/** A venue's recording that records every listed market, keeps all of it, and reports nothing. */
export const recordingOptions = {
  log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
  retentionDays: 7,
  keptFromMs: () => undefined,
  choose: (_, all) => all,
  onFollowed: () => undefined,
  onTrade: () => undefined,
  onGap: () => undefined,
} as const satisfies Partial<VenueRecordingOptions>;

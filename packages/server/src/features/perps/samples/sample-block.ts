/** The value of a series at one time. */
export interface LedgerSample {
  readonly t: number;
  /** Open interest in the venue's contracts, the funding rate as it is served, or the share that is long. */
  readonly value: number;
  /** Hours of the venue's own funding period at that time; 0 for the others. */
  readonly periodHours: number;
  /** `recorded` from the venue's current figures at that time, or from the `venue`'s own history later. */
  readonly origin: 'recorded' | 'venue';
}

/** Position in the block, origin, period, value. */
const ROW_BYTES = 1 + 1 + 4 + 8;
const VENUE = 1;

/** Packs samples of a block: 14 bytes each. Later samples are appended. */
export function encodeSamples(startTs: number, stepMs: number, samples: readonly LedgerSample[]): Uint8Array {
  const bytes = new Uint8Array(samples.length * ROW_BYTES);
  const view = new DataView(bytes.buffer);
  for (const [i, { t, value, periodHours, origin }] of samples.entries()) {
    const at = i * ROW_BYTES;
    view.setUint8(at, (t - startTs) / stepMs);
    view.setUint8(at + 1, origin === 'venue' ? VENUE : 0);
    view.setFloat32(at + 2, periodHours, true);
    view.setFloat64(at + 6, value, true);
  }
  return bytes;
}

/**
 * The samples of a block in order of time. If several have one time, a recorded one wins over the venue's, then the
 * first.
 */
export function decodeSamples(startTs: number, stepMs: number, bytes: Uint8Array): readonly LedgerSample[] {
  if (bytes.length % ROW_BYTES !== 0)
    throw new Error(`a block of ${bytes.length} bytes is no whole number of samples`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const samples = new Map<number, LedgerSample>();
  for (let at = 0; at < bytes.length; at += ROW_BYTES) {
    const t = startTs + view.getUint8(at) * stepMs;
    const origin = view.getUint8(at + 1) === VENUE ? 'venue' : 'recorded';
    const held = samples.get(t);
    if (held && (held.origin === 'recorded' || origin === 'venue')) continue;
    const value = view.getFloat64(at + 6, true);
    samples.set(t, { t, value, periodHours: view.getFloat32(at + 2, true), origin });
  }
  return [...samples.values()].toSorted((a, b) => a.t - b.t);
}

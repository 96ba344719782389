import { vi } from 'vitest';

type Wait = Parameters<typeof vi.waitUntil>[1];

/**
 * The least patience of every wait. Vitest's own is one second, which a busy machine exceeds. A condition that comes ends
 * the wait at once, so this only ends what hangs.
 */
const PATIENCE_MS = 240_000;

function patient(given: Wait = {}): Exclude<Wait, number> {
  const options = typeof given === 'number' ? { timeout: given } : given;
  return { ...options, timeout: Math.max(PATIENCE_MS, options.timeout ?? 0) };
}

const { waitFor, waitUntil } = vi;
// Files that share a worker share `vi` as well.
if (waitFor.name !== 'waitPatientlyFor') {
  vi.waitFor = function waitPatientlyFor(callback, options) {
    return waitFor(callback, patient(options));
  };
  vi.waitUntil = (callback, options) => waitUntil(callback, patient(options));
}

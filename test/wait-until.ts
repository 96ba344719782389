import { setTimeout as realMs } from 'node:timers/promises';
import { performance } from 'node:perf_hooks';

/** Real time, as `vi.waitUntil`, for the setup before the tests as well. */
export async function waitUntil(
  holds: () => boolean | Promise<boolean>,
  { timeout, interval }: { readonly timeout: number; readonly interval: number },
): Promise<void> {
  const deadlineMs = performance.now() + timeout;
  while (!(await holds())) {
    if (performance.now() > deadlineMs) throw new Error(`not within ${timeout} ms: ${holds.toString()}`);
    await realMs(interval);
  }
}

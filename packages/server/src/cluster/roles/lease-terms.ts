import type { Log } from '../../platform/log.ts';
import { systemClock } from '../../platform/system-clock.ts';
import type { Started } from '../../roles/role-dependencies.ts';

/** Between attempts to start again while Redis fails. */
const RETRY_MS = 500;

export interface Shifts<Shift> extends Started {
  /** The newest one. */
  readonly shift: Shift;
}

/**
 * Starts something that can lose its lease, and again whenever it has; `start` gets the function to call then, which
 * may be before it is through.
 */
export async function restartOnLeaseLoss<Shift extends Started>(
  start: (onLost: () => void) => Promise<Shift>,
  log: Log,
): Promise<Shifts<Shift>> {
  let isStopped = false;
  const again = (): void => {
    changing = changing.then(startAgain);
  };
  const startAgain = async (): Promise<void> => {
    if (isStopped) return;
    await shift.stop();
    if (isStopped) return;
    log.warn({}, 'another ingester publishes now; this one starts again as a standby');
    const startedBefore = started;
    try {
      await begin();
    } catch (error) {
      log.warn({ err: error }, 'the ingester cannot start again yet');
      // One that lost its lease while it failed has already started again.
      systemClock.after(RETRY_MS, () => started === startedBefore && again());
    }
  };
  let shift: Shift;
  let started = 0;
  const begin = async (): Promise<void> => {
    shift = await start(again);
    started += 1;
  };
  const first = begin();
  // The caller gets the error when the first start fails; then there is nothing to start again.
  let changing = first.catch(() => {
    isStopped = true;
  });
  await first;
  return {
    get shift() {
      return shift;
    },
    async stop() {
      isStopped = true;
      await changing;
      await shift.stop();
    },
  };
}

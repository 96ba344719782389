import type { Log } from '../../platform/log.ts';
import { systemClock } from '../../platform/system-clock.ts';
import type { Started } from '../../roles/role-dependencies.ts';

/** Delay between restarts while Redis fails. */
const RETRY_MS = 500;

export interface Shifts<Shift> extends Started {
  /** The newest one. */
  readonly shift: Shift;
}

/**
 * Starts something that holds a lease, and starts it again whenever the lease is lost. `start` gets the callback for
 * the loss, which may be called before `start` resolves.
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
    log.warn({}, 'another ingester is the leader; restarting as a standby');
    const startedBefore = started;
    try {
      await begin();
    } catch (error) {
      log.warn({ err: error }, 'the ingester cannot start again yet');
      // A term that lost its lease while it failed has already been restarted.
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
  // If the first start fails the caller gets the error, and there is nothing to restart.
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

import type { Clock } from '@crosstape/core';
import { startSimulator } from '@crosstape/simulator';
import { systemClock } from '../packages/server/src/platform/system-clock.ts';

/** The audit's clock is virtual and ahead of the system's: limits of the venues go by this one, which is quicker. */
const SPEED = 200;
const startMs = systemClock.now();
const quick: Clock = {
  now: () => Math.floor(startMs + (systemClock.now() - startMs) * SPEED),
  after: (delayMs, run) => systemClock.after(delayMs / SPEED, run),
  every: (periodMs, run) => systemClock.every(Math.max(1, periodMs / SPEED), run),
};

/** The venues of `bench/audit.ts`, in a separate process. */
const simulator = await startSimulator({ port: 0, seed: 7, clock: quick });
process.send?.({ url: simulator.url });
process.once('disconnect', () => void simulator.close());

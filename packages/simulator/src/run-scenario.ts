import type { Clock, Timer } from '@crosstape/core';
import type { FaultBoard } from './fault-board.ts';
import type { Scenario } from './scenario.ts';

/** Activates a scenario's faults at their times. Returns a function that stops it. */
export function runScenario(scenario: Scenario | undefined, faults: FaultBoard, clock: Clock): () => void {
  const timers = new Set<Timer>();
  for (const { atMs, everyMs, fault } of scenario?.steps ?? []) {
    const first = clock.after(atMs, () => {
      timers.delete(first);
      faults.add(fault);
      if (everyMs !== undefined) timers.add(clock.every(everyMs, () => faults.add(fault)));
    });
    timers.add(first);
  }
  return () => {
    for (const timer of timers) timer.cancel();
  };
}

import { FairQueue } from './fair-queue.ts';

const waiting = new FairQueue<() => void>();

/**
 * Yields to the event loop, so that live data and other requests go first. Each turn of the loop continues one of those
 * that wait, networks and their callers in turns: a hundred long answers at a time delay a short one by no more than a piece of one of them.
 */
export function nextTurn(caller = ''): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(caller, resolve);
    if (waiting.size === 1) setImmediate(continueOne);
  });
}

function continueOne(): void {
  waiting.shift()?.();
  // An immediate that is set now runs in the next turn of the loop.
  if (waiting.size > 0) setImmediate(continueOne);
}

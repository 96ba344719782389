import type { Bus, Unsubscribe } from '../../platform/bus.ts';
import { isTapeOpen, type Seeding, seedingTopic } from '../../topics.ts';

/**
 * Calls `onOpen` when the tape opens after the newest part of a first-run history was recorded, before the first trade
 * is released. Never called if it was open from the start. Anything read from the tape before must be read again.
 */
export function watchTapeOpening(bus: Bus, onOpen: (tape: Seeding['tape']) => void): Unsubscribe {
  let wasOpen = isTapeOpen(bus.latest(seedingTopic)?.message);
  return bus.subscribe(seedingTopic, (seeding) => {
    const isOpening = isTapeOpen(seeding) && !wasOpen;
    wasOpen = isTapeOpen(seeding);
    if (isOpening) onOpen(seeding.tape);
  });
}

/** Resolves once the tape is recorded from a time on, or no history is being created; `undefined` when that is so now. */
export function whenRecorded(bus: Bus, fromMs: number, signal: AbortSignal): Promise<void> | undefined {
  const isRecorded = (seeding: Seeding | undefined): boolean =>
    !seeding || seeding.isDone || (seeding.tape !== undefined && seeding.tape.fromMs <= fromMs);
  if (isRecorded(bus.latest(seedingTopic)?.message)) return undefined;
  return new Promise((resolve, reject) => {
    const end = (settle: () => void): void => {
      leave();
      signal.removeEventListener('abort', abort);
      settle();
    };
    const abort = (): void => end(() => reject(signal.reason as Error));
    const leave = bus.subscribe(seedingTopic, (seeding) => {
      if (isRecorded(seeding)) end(resolve);
    });
    signal.addEventListener('abort', abort);
  });
}

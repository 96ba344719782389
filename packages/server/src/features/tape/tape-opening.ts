import type { Bus, Unsubscribe } from '../../platform/bus.ts';
import {
  isTapeOpen,
  marketSeedingTopic,
  type RecordedMarket,
  type Seeding,
  seedingTopic,
} from '../../topics.ts';

/** What a first-run history created before live trades followed. */
export interface CreatedTape {
  readonly toMs: number;
  /** Whether trades up to then are on the tape; of the other markets of a venue they are not. */
  readonly isRecorded: boolean;
}

/**
 * Calls `onOpen` when a tape opens after the newest part of a first-run history was recorded, before the first trade is
 * released. `market` is one of a secondary venue; without it, the primary tape is watched. Never called if the tape was
 * open from the start. Anything read from it before must be read again.
 */
export function watchTapeOpening(
  bus: Bus,
  market: Pick<RecordedMarket, 'id' | 'publisher'> | undefined,
  onOpen: (created: CreatedTape | undefined) => void,
): Unsubscribe {
  return market ? watchMarketOpening(bus, market, onOpen) : watchPrimaryOpening(bus, onOpen);
}

function watchPrimaryOpening(bus: Bus, onOpen: (created: CreatedTape | undefined) => void): Unsubscribe {
  let wasOpen = isTapeOpen(bus.latest(seedingTopic)?.message);
  return bus.subscribe(seedingTopic, (seeding) => {
    const isOpening = isTapeOpen(seeding) && !wasOpen;
    wasOpen = isTapeOpen(seeding);
    if (isOpening) onOpen(seeding.tape && { toMs: seeding.tape.toMs, isRecorded: true });
  });
}

function watchMarketOpening(
  bus: Bus,
  { id, publisher }: Pick<RecordedMarket, 'id' | 'publisher'>,
  onOpen: (created: CreatedTape) => void,
): Unsubscribe {
  let wasOpen = bus.latest(marketSeedingTopic)?.message.createdTo?.[publisher] !== undefined;
  return bus.subscribe(marketSeedingTopic, ({ createdTo, markets }) => {
    const toMs = createdTo?.[publisher];
    if (wasOpen || toMs === undefined) return;
    wasOpen = true;
    onOpen({ toMs, isRecorded: markets.includes(id) });
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

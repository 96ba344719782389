import { seedFlowHistory, seedHistory, type SeedHistoryOptions } from './seed-history.ts';

export interface PastOptions extends Omit<SeedHistoryOptions, 'signal'> {
  /** The coins whose flows are followed. */
  readonly flowCoins: readonly string[];
}

/** The past that a simulated market is to be given. */
export interface Past {
  /** Resolves when the tape can go on from it. */
  seed(signal: AbortSignal): Promise<void>;
  /** Settles when all that was begun is there, or cannot be made. */
  readonly isThere: Promise<void>;
}

export function createPast({ flowCoins, ...options }: PastOptions): Past {
  let flows = Promise.resolve();
  const seedFlows = async (made: ReturnType<typeof seedHistory>, signal: AbortSignal): Promise<void> => {
    try {
      await seedFlowHistory({ ...options, coins: flowCoins, range: await made, signal });
    } catch (error) {
      if (!signal.aborted) options.log.error({ error }, 'the flows of the simulated market get no history');
    }
  };
  return {
    async seed(signal) {
      const made = seedHistory({ ...options, signal });
      // The tape does not wait for it.
      flows = seedFlows(made, signal);
      await made;
    },
    get isThere() {
      return flows;
    },
  };
}

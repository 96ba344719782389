import { type Simulator, startSimulator, systemClock } from '@crosstape/simulator';

/** A simulator of the primary venue alone: a service that reads it costs a third of one that reads all sources. */
export function startPrimaryMarket(): Promise<Simulator> {
  return startSimulator({ port: 0, seed: 1, rate: 1, clock: systemClock, sources: ['hyperliquid'] });
}

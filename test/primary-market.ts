import { type Simulator, startSimulator, systemClock } from '@crosstape/simulator';
import { fewCoins } from './world-coins.ts';

/** A simulator of the primary venue alone: a service that reads it costs a third of one that reads all sources. */
export function startPrimaryMarket(): Promise<Simulator> {
  const market = { seed: 1, rate: 1, coins: fewCoins, sources: ['hyperliquid'] };
  return startSimulator({ port: 0, clock: systemClock, ...market });
}

import { seededRandom } from '@crosstape/core';
import { primaryVenue } from '@crosstape/venues';
import type { JobRunner } from '../../platform/jobs.ts';
import type { Log } from '../../platform/log.ts';
import { type Engine, type EngineOptions, startEngine } from '../engine.ts';

export const noJobs: JobRunner = {
  run: () => Promise.reject(new Error('no workers here')),
  stop: async () => {},
};
const silent: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

type Needed = 'venues' | 'bus' | 'clock';

interface SimulatedEngineOptions extends Pick<EngineOptions, Needed>, Partial<Omit<EngineOptions, Needed>> {
  /** A simulator or replay, which has each venue below its id. */
  readonly url: string;
}

export function startSimulatedEngine({ url, ...options }: SimulatedEngineOptions): Engine {
  return startEngine({
    primaryVenue: primaryVenue.id,
    originsOf: ({ id }) => ({ rest: `${url}/${id}`, ws: `${url.replace('http', 'ws')}/${id}` }),
    random: seededRandom(3),
    jobs: noJobs,
    log: silent,
    sink: () => {},
    ...options,
  });
}

import { tradeTopic } from '../../topics.ts';
import type { ApiOptions } from '../api.ts';

/** The parts of the tape that an API needs. */
export type TapeParts = Pick<
  ApiOptions,
  'tape' | 'coverage' | 'candles' | 'rates' | 'markets' | 'rotations' | 'jobs'
>;

function refuse(): Promise<never> {
  return Promise.reject(new Error('this test has no tape'));
}

/** For tests that are not about the tape: nothing is recorded or can be built. */
export const noTape: TapeParts = {
  tape: {
    page: async () => ({ chunks: [] }),
    sealed: async () => [],
    unsealed: refuse,
    topicOf: tradeTopic,
  },
  coverage: {
    stretches: async () => [],
    gaps: async () => [],
    leftOut: async () => [],
    recordedSinceMs: async () => undefined,
  },
  candles: { read: refuse },
  rates: { of: refuse },
  rotations: {
    submit: refuse,
    job: async () => undefined,
    result: async () => undefined,
    findResult: async () => undefined,
    watch: () => () => undefined,
    barsOf: () => undefined,
    isFull: false,
  },
  jobs: { run: refuse, stop: async () => undefined },
};

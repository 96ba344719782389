import type { Endpoint } from '../endpoint.ts';
import { coverage } from './coverage.ts';
import { openapi } from './openapi.ts';
import { perpsFunding } from './perps-funding.ts';
import { perpsOi } from './perps-oi.ts';
import { perpsRotationsBuild } from './perps-rotations-build.ts';
import { perpsRotationsJob } from './perps-rotations-job.ts';
import { perpsRotationsResult } from './perps-rotations-result.ts';
import { perpsTradesHistory } from './perps-trades-history.ts';
import { perpsWhales } from './perps-whales.ts';

/** Every REST endpoint. */
export const endpoints: readonly Endpoint[] = [
  perpsOi,
  perpsFunding,
  perpsWhales,
  perpsTradesHistory,
  perpsRotationsBuild,
  perpsRotationsJob,
  perpsRotationsResult,
  coverage,
  openapi,
];

import type { Endpoint } from '../endpoint.ts';
import { openapi } from './openapi.ts';
import { perpsFunding } from './perps-funding.ts';
import { perpsOi } from './perps-oi.ts';
import { perpsWhales } from './perps-whales.ts';

/** Every REST endpoint. */
export const endpoints: readonly Endpoint[] = [perpsOi, perpsFunding, perpsWhales, openapi];

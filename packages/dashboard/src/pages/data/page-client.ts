import { Client, systemClock } from '@crosstape/client';
import { Budget } from '../../live/budget.ts';

/** What the worker that all tabs share leaves of a visitor's 60 requests a minute. */
const CALLS_MAX = 12;
const budget = new Budget(systemClock, CALLS_MAX);

/** For what a visitor does once: a build that is submitted, a file that is fetched. */
export const pageClient = new Client({
  url: location.origin,
  fetch: async (input, init) => {
    await budget.take(init?.signal);
    return fetch(input, init);
  },
});

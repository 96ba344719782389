import { Client, systemClock } from '@crosstape/client';
import { Budget, budgetedFetch } from '../../live/budget.ts';

/** Of a visitor's quota: what the worker that all tabs share leaves. */
const SHARE = 0.2;
const budget = new Budget(systemClock, SHARE);

/** For what a visitor does once: a build that is submitted, a file that is fetched. */
export const pageClient = new Client({
  url: location.origin,
  fetch: budgetedFetch(budget, location.origin),
});

import { Client, systemClock } from '@crosstape/client';
import { Budget, budgetedFetch } from '../../live/budget.ts';

/** Share of a visitor's quota that the worker shared by all tabs leaves. */
const SHARE = 0.2;
const budget = new Budget(systemClock, SHARE);

/** For one-time actions of a visitor: submitting a build, fetching a file. */
export const pageClient = new Client({
  url: location.origin,
  fetch: budgetedFetch(budget, location.origin),
});

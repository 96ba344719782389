import { createMarket, viewOfVenue } from '@crosstape/simulator';
import { expect, it } from 'vitest';
import type { CheckedField } from '../../../topics.ts';
import { CrossCheck, type Figures } from './cross-check.ts';

const STEP_MS = 600_000;
const DAY_STEPS = 144;
const isLong = process.env['LONG'] === '1';
const COINS = isLong ? 16 : 12;
const DAYS = isLong ? 7 : 1;
/** Steps between the times at which errors are tried. */
const TRY_EVERY = isLong ? 21 : 80;
/** An unchanged figure is found within this many steps: three hours. */
const STALE_STEPS = 18;
/** Steps that make a history. */
const LEARN_STEPS = 20;
const LIMIT_MS = 600_000;
const START_MS = Date.UTC(2026, 10, 2, 0, 5);

const market = createMarket({ seed: 7 });
const coins = market.coins.filter(({ isDelisted, dex }) => !isDelisted && dex === '').slice(0, COINS);
const views = ['binance', 'okx', 'bybit', 'bitget', 'gate', 'mexc', 'dydx', 'kraken'].flatMap(
  (venue) => viewOfVenue(market, venue) ?? [],
);
const fields = ['openInterest', 'funding', 'mark'] as const;
const errors = { 'factor 2': 2, 'factor 10': 10, 'factor 1000': 1_000, 'wrong sign': -1 } as const;

type Step = Record<CheckedField, Map<string, Map<string, number>>>;

/** Data of all venues at a time. */
function reportedAt(atMs: number): Step {
  const step: Step = { openInterest: new Map(), funding: new Map(), mark: new Map() };
  const put = (venue: string, coin: string, figures: Record<CheckedField, number>): void => {
    for (const field of fields) {
      const own = step[field].get(venue) ?? new Map<string, number>();
      step[field].set(venue, own.set(coin, figures[field]));
    }
  };
  for (const { name } of coins) {
    const { mark } = market.quote(name, atMs);
    const openInterest = market.openInterest(name, atMs) * mark;
    put('hyperliquid', name, { mark, openInterest, funding: market.funding(name, atMs).rate });
    for (const view of views) {
      const quote = view.quote(name, atMs);
      const { rate, periodHours } = view.funding(name, atMs);
      const held = view.openInterest(name, atMs) * quote.mark;
      put(view.shape.id, name, { mark: quote.mark, openInterest: held, funding: rate / periodHours });
    }
  }
  return step;
}

/** The last test uses 36 more than a day. */
const all = Array.from({ length: DAYS * DAY_STEPS + 36 }, (_, i) => reportedAt(START_MS + i * STEP_MS));
const steps = all.slice(0, DAYS * DAY_STEPS + 20);
const venueIds = [...(steps[0]?.mark.keys() ?? [])];

/** A step with wrong figures of a venue: one coin's, but all of its rates, whose unit is the venue's. */
function withError(
  step: Step,
  field: CheckedField,
  venue: string,
  change: (value: number) => number,
): Figures {
  const own = new Map(step[field].get(venue));
  for (const [coin, value] of own) if (field === 'funding' || coin === 'BTC') own.set(coin, change(value));
  return { ...step, [field]: new Map([...step[field], [venue, own]]) };
}

function isFound(check: CrossCheck, figures: Figures, field: CheckedField, venue: string): boolean {
  check.check(figures, { learns: false });
  return check
    .check(figures, { learns: false })
    .some((one) => one.field === field && one.venue === venue && one.coin === 'BTC');
}

/** The errors that are not found at a step. */
function missedAt(check: CrossCheck, step: Step, factors: Readonly<Record<string, number>>): string[] {
  return fields.flatMap((field) =>
    venueIds.flatMap((venue) =>
      Object.entries(factors)
        .filter(([, factor]) => {
          const wrong = withError(step, field, venue, (value) => value * factor);
          return !isFound(check, wrong, field, venue);
        })
        .map(([name]) => `${field} of ${venue}: ${name}`),
    ),
  );
}

it(
  'finds every wrong unit with the second check, and less than one figure a day without errors',
  () => {
    const check = new CrossCheck(1);
    let falseFlags = 0;
    let tried = 0;
    const missed: string[] = [];
    for (const [i, step] of steps.entries()) {
      falseFlags += check.check(step).length;
      if ((i + 1) % TRY_EVERY !== 0) continue;
      tried += 1;
      missed.push(...missedAt(check, step, errors).map((error) => `step ${i}: ${error}`));
    }
    expect(missed).toEqual([]);
    expect(tried).toBe(Math.floor(steps.length / TRY_EVERY));
    expect(falseFlags).toBeLessThan(DAYS);
  },
  LIMIT_MS,
);

it(
  'finds factor 10, factor 1000 and a wrong sign with the second check after a start',
  () => {
    const { 'factor 2': _, ...large } = errors;
    for (const step of steps.filter((__, i) => i % TRY_EVERY === 0))
      expect(missedAt(new CrossCheck(1), step, large)).toEqual([]);
  },
  LIMIT_MS,
);

it.each(fields)('finds %s that no longer changes, within three hours', (field) => {
  // Its rates are the same for hours while premiums are small.
  for (const venue of venueIds.filter((id) => field !== 'funding' || id !== 'hyperliquid')) {
    const check = new CrossCheck(1);
    for (const step of steps.slice(-STALE_STEPS - LEARN_STEPS, -STALE_STEPS)) check.check(step);
    const frozen = steps.at(-STALE_STEPS - 1)?.[field].get(venue) ?? new Map<string, number>();
    const last = steps.slice(-STALE_STEPS).map((step) => {
      const figures = { ...step, [field]: new Map([...step[field], [venue, frozen]]) };
      return check.check(figures).some((one) => one.venue === venue && one.field === field);
    });
    expect([venue, last.includes(true)]).toEqual([venue, true]);
  }
});

it('accepts what has not been usual for a day', () => {
  const check = new CrossCheck(1);
  for (const step of all.slice(0, 12)) check.check(step);
  const doubled = (i: number): Figures =>
    withError(all[12 + i] as Step, 'openInterest', 'okx', (value) => value * 2);
  const flags = Array.from({ length: DAY_STEPS + 24 }, (_, i) =>
    check.check(doubled(i)).some(({ venue, coin }) => venue === 'okx' && coin === 'BTC'),
  );
  // The first one could be a moment.
  expect([flags[0], flags[1], flags[DAY_STEPS - 2], flags.at(-1)]).toEqual([false, true, true, false]);
});

import { ManualClock, type OpenInterest, type Funding } from '@crosstape/core';
import { type Known, type VenueRequest, type VenueSamples, venues } from '@crosstape/venues';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../simulator.ts';

const HOUR_MS = 3_600_000;
/** A time at which every venue pays. */
const PAID_MS = Date.UTC(2026, 10, 16, 8);
const HISTORIES = venues.flatMap(({ id, connector }) =>
  (connector?.histories ?? []).map((history) => ({ venue: id, kind: history.kind, history, connector })),
);

let clock: ManualClock;
let simulator: Simulator;
beforeAll(async () => {
  clock = new ManualClock(PAID_MS - 1);
  simulator = await startSimulator({ port: 0, seed: 5, clock });
});
afterAll(() => simulator.close());

async function ask(venue: string, { method, path, body }: VenueRequest): Promise<unknown> {
  const answer = await fetch(`${simulator.url}/${venue}${path}`, {
    method,
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });
  expect(answer.status).toBe(200);
  return answer.json();
}

interface Current {
  readonly symbol: string;
  readonly interest?: OpenInterest;
  readonly funding?: Funding;
}

/** The venue's current data of Bitcoin's first contract, read as the service does. */
async function current(venue: string): Promise<Current> {
  const connector = venues.find(({ id }) => id === venue)?.connector;
  let known: Known = {};
  let symbol: string | undefined;
  let interest: OpenInterest | undefined;
  let funding: Funding | undefined;
  const learn = (tables: Known): void => {
    known = { ...known, ...tables };
    symbol ??= known.instruments?.find(({ coin }) => coin === 'BTC')?.symbol;
    interest ??= known.openInterest?.find((row) => row.symbol === symbol);
    funding ??= known.funding?.find((row) => row.symbol === symbol);
  };
  const resources = connector?.resources ?? [];
  // Each with the contracts of its own list, if a venue has several.
  for (const resource of resources)
    learn(resource.parse(await ask(venue, resource.request), clock.now(), known));
  if (symbol === undefined) throw new Error(`${venue} does not list bitcoin`);
  for (const lookup of connector?.lookups ?? [])
    if (lookup.name === 'openInterest')
      learn(lookup.parse(await ask(venue, lookup.request(symbol)), 0, known, symbol));
  return { symbol, ...(interest && { interest }), ...(funding && { funding }) };
}

it('answers for the past what it answered then', async () => {
  const before = new Map<string, Current>();
  for (const { id } of venues) before.set(id, await current(id));
  clock.advance(1);
  const symbolOf = (history: VenueSamples, venue: string): string => {
    const { symbol = '' } = before.get(venue) ?? {};
    return history.covers?.(symbol) === false ? 'BTCUSDT' : symbol;
  };
  const longs = new Map<VenueSamples, number | undefined>();
  for (const { venue, history } of HISTORIES.filter(({ kind }) => kind.endsWith('Longs'))) {
    const span = { market: { symbol: symbolOf(history, venue) }, fromMs: PAID_MS, toMs: PAID_MS + HOUR_MS };
    const { samples } = history.parse(await ask(venue, history.request(span)), span);
    expect(samples).toMatchObject([{ ts: PAID_MS }]);
    longs.set(history, samples[0]?.value);
  }
  expect(longs.size).toBe(5);
  const interest = new Map<string, OpenInterest | undefined>();
  for (const { venue } of HISTORIES.filter(({ kind }) => kind === 'openInterest'))
    interest.set(venue, (await current(venue)).interest);
  clock.advance(3 * HOUR_MS);
  for (const { venue, kind, history } of HISTORIES) {
    const span = {
      market: { symbol: symbolOf(history, venue) },
      fromMs: PAID_MS - 24 * HOUR_MS,
      toMs: PAID_MS + HOUR_MS,
    };
    const { samples, fromMs, refused } = history.parse(await ask(venue, history.request(span)), span);
    expect([venue, kind, fromMs, refused]).toEqual([venue, kind, span.fromMs, undefined]);
    const at = samples.find(({ ts }) => Math.floor(ts / HOUR_MS) * HOUR_MS === PAID_MS);
    const periodHours = kind === 'funding' ? (before.get(venue)?.funding?.periodHours ?? Number.NaN) : 1;
    expect(samples.length).toBe(Math.floor(24 / periodHours) + 1);
    const then =
      longs.get(history) ??
      (kind === 'openInterest' ? interest.get(venue)?.contracts : before.get(venue)?.funding?.rate);
    expect([venue, kind, at?.value]).toEqual([venue, kind, then]);
  }
});

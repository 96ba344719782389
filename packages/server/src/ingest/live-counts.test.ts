import { type Instrument, ManualClock, MINUTE_MS, seededRandom } from '@crosstape/core';
import { liveContracts } from '@crosstape/simulator';
import { type Connector, type Known, venues } from '@crosstape/venues';
import { describe, expect, it } from 'vitest';
import { Budget } from '../platform/budget.ts';
import { VenueGate } from './venue-gate.ts';

/** For a venue without an estimate. */
const CONTRACTS_ELSE = 1_000;
const counts: Readonly<Record<string, number>> = liveContracts;
const STEP_MS = 100;
/** Long enough that the initial burst is negligible. */
const WATCHED_MINUTES = 10;
const SUBSCRIBED_WITHIN_MS = 15_000;

const connected = venues.flatMap(({ id, connector }) => (connector ? [{ id, connector }] : []));

function knownOf(id: string): Known & { readonly instruments: readonly Instrument[] } {
  const instruments = Array.from({ length: counts[id] ?? CONTRACTS_ELSE }, (_, i) => ({
    coin: `C${i}`,
    symbol: `C${i}`,
  }));
  return { instruments };
}

function gateOf(connector: Connector): { readonly gate: VenueGate; readonly clock: ManualClock } {
  const clock = new ManualClock(0);
  return { gate: new VenueGate({ connector, clock, random: seededRandom(1) }), clock };
}

/** How long it takes on a clock. */
async function lengthMs(clock: ManualClock, work: () => Promise<void>): Promise<number> {
  const startMs = clock.now();
  let endMs: number | undefined;
  const done = work().then(() => (endMs = clock.now()));
  for (; endMs === undefined; clock.advance(STEP_MS)) await new Promise((resolve) => setImmediate(resolve));
  await done;
  return endMs - startMs;
}

describe.each(connected)('$id with all its contracts', ({ id, connector }) => {
  const { resources, lookups = [], feeds } = connector;
  const known = knownOf(id);
  const always = lookups.filter(({ polled }) => polled === 'always');

  it('may be asked as often as everything that is polled is due', async () => {
    const { gate, clock } = gateOf(connector);
    const due = [
      ...resources.map(({ weight, everyMs }) => ({ weight, perMinute: MINUTE_MS / everyMs })),
      ...always.map(({ weight, everyMs, keys }) => ({
        weight,
        perMinute: (MINUTE_MS / everyMs) * keys(known, []).length,
      })),
    ];
    const tookMs = await lengthMs(clock, async () => {
      for (const { weight, perMinute } of due)
        for (let i = 0; i < perMinute * WATCHED_MINUTES; i += 1) await gate.requests.take(weight);
    });
    expect(tookMs).toBeLessThan(WATCHED_MINUTES * MINUTE_MS);
  });

  for (const { name, keys, weight, everyMs, perMinute, atOnce } of always) {
    it(`asks for each key of ${name} within its cadence`, async () => {
      const { gate, clock } = gateOf(connector);
      const own = perMinute === undefined ? undefined : new Budget({ clock, perMinute, atOnce });
      const tookMs = await lengthMs(clock, async () => {
        for (const _ of keys(known, [])) {
          await own?.take(1);
          await gate.requests.take(weight);
        }
      });
      // Resources wait for their turn among them.
      expect(tookMs).toBeLessThan(0.9 * everyMs);
    });
  }

  for (const { name, topics, topicsPerSocket, topicsPerFrame = 1, sockets } of feeds.filter(
    ({ demand }) => !demand,
  )) {
    it(`is subscribed to all of ${name} soon`, async () => {
      const { gate, clock } = gateOf(connector);
      const wanted = topics(known.instruments).length;
      const shards = Math.ceil(wanted / (topicsPerSocket ?? wanted));
      const tookMs = await lengthMs(clock, async () => {
        for (let i = 0; i < shards * sockets; i += 1) await gate.connections.take(1);
        const frames = Math.ceil(wanted / topicsPerFrame) * sockets;
        for (let i = 0; i < frames; i += 1) await gate.messages.take(1);
      });
      expect(tookMs).toBeLessThan(SUBSCRIBED_WITHIN_MS);
    });
  }
});

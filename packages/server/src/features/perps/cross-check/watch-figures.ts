import type { Clock, TableName, Tables } from '@crosstape/core';
import type { Bus } from '../../../platform/bus.ts';
import { freshMsOf, type Snapshot, snapshotTopic, suspectsTopic } from '../../../topics.ts';
import { perpVenueIds } from '../../markets/venue-ids.ts';
import { fundingByCoin, scaleRate } from '../funding.ts';
import { type Dated, openInterestByCoin } from '../open-interest.ts';
import { pricesByCoin } from '../prices.ts';
import { CrossCheck, type Figures } from './cross-check.ts';

const CHECK_EVERY_MS = 60_000;
/** Suspect figures that are published; more are a fault of many venues at once, which their health reports. */
const SUSPECTS_MAX = 500;

export interface FigureWatchOptions {
  readonly clock: Clock;
  readonly bus: Bus;
}

/** Compares the figures of all perpetual venues every minute, and publishes those that are suspect when they change. */
export function watchFigures({ clock, bus }: FigureWatchOptions): { stop(): void } {
  const check = new CrossCheck();
  // The first check always publishes: Redis keeps what was published before a restart.
  let published: string | undefined;
  const timer = clock.every(CHECK_EVERY_MS, () => {
    const suspects = check.check(figuresOf(bus, clock.now())).slice(0, SUSPECTS_MAX);
    // Values change with each poll: nothing is published while the same figures are suspect.
    const text = JSON.stringify(suspects.map(({ venue, coin, field }) => [venue, coin, field]));
    if (text === published) return;
    published = text;
    bus.publish(suspectsTopic, suspects);
  });
  return { stop: () => timer.cancel() };
}

/** The current figures of the venues, without overdue ones. */
function figuresOf(bus: Pick<Bus, 'latest'>, nowMs: number): Figures {
  const read = <Name extends TableName, Value>(
    name: Name,
    venue: string,
    byCoin: (table: Snapshot<Tables[Name]>) => ReadonlyMap<string, Dated<Value>>,
    figureOf: (value: Value) => number,
  ): ReadonlyMap<string, number> => {
    const table = bus.latest(snapshotTopic(venue, name))?.message;
    if (!table) return new Map();
    const fresh = [...byCoin(table)].filter(([, { fetchedAtMs }]) => nowMs - fetchedAtMs <= freshMsOf(table));
    return new Map(fresh.map(([coin, { value }]) => [coin, figureOf(value)]));
  };
  const ofVenues = (
    one: (venue: string) => ReadonlyMap<string, number>,
  ): ReadonlyMap<string, ReadonlyMap<string, number>> =>
    new Map(perpVenueIds.map((venue) => [venue, one(venue)]));
  return {
    openInterest: ofVenues((venue) =>
      read(
        'openInterest',
        venue,
        (table) => openInterestByCoin(table, nowMs),
        ({ usd }) => usd,
      ),
    ),
    funding: ofVenues((venue) => {
      const held = bus.latest(snapshotTopic(venue, 'openInterest'))?.message;
      return read(
        'funding',
        venue,
        (table) => fundingByCoin(table, held, nowMs),
        (value) => scaleRate(value, 1),
      );
    }),
    mark: ofVenues((venue) => read('prices', venue, pricesByCoin, ({ mark }) => mark)),
  };
}

import {
  type Clock,
  type Instrument,
  ManualClock,
  type OpenInterest,
  type SourceHealth,
  seededRandom,
} from '@crosstape/core';
import type { Connector, Feed, Limits, Lookup, Resource, Venue } from '@crosstape/venues';
import { vi } from 'vitest';
import type { JobRunner } from '../../platform/jobs.ts';
import { LocalBus } from '../../platform/local-bus.ts';
import { demandTopic, healthTopic, type Snapshot, snapshotTopic } from '../../topics.ts';
import type { OpenBooks } from '../book-feed.ts';
import { type Engine, startEngine } from '../engine.ts';
import type {
  BridgedGap,
  FeedChange,
  ReceivedFrame,
  RefilledFrame,
  RefusedFrame,
  SocketChange,
} from '../feed-sink.ts';
import type { KeptAnswers } from '../kept-answer.ts';
import type { Wiretap } from '../wiretap.ts';
import { type FakeVenue, startFakeVenue } from './fake-venue.ts';
import { noJobs } from './simulated-engine.ts';

export interface RigOptions {
  readonly resources?: readonly Resource[];
  readonly lookups?: readonly Lookup[];
  readonly feeds?: readonly Feed[];
  /** Default: itself. */
  readonly primaryVenue?: string;
  readonly limits?: Partial<Limits>;
  /** Further changes of the venue, given its address. */
  readonly connector?: (origins: Connector['origins']) => Partial<Connector>;
  /** Resources of another one at the same address, with the same limits. */
  readonly neighbour?: readonly Resource[];
  readonly jobs?: JobRunner;
  readonly proxy?: string;
  /** State that survives a restart. */
  readonly kept?: KeptAnswers;
  /** With several engines: when this one polls. */
  readonly turn?: Promise<void>;
  readonly wiretap?: Wiretap;
  /** Keeper of the books of the venue's markets. */
  readonly books?: OpenBooks;
  readonly startMs?: number;
  /** The engine's clock, made from the one that the test moves; default: that one. */
  readonly clockOf?: (clock: ManualClock) => Clock;
  /** Coins of the venue, listed from the start. */
  readonly coins?: readonly string[];
  /** Prepares the venue before the engine starts. */
  readonly prepare?: (venue: FakeVenue) => void;
}

/** The engine on a clock that the test moves, against a venue that the test commands. */
export interface Rig {
  readonly clock: ManualClock;
  readonly bus: LocalBus;
  readonly venue: FakeVenue;
  readonly frames: ReceivedFrame[];
  readonly refused: RefusedFrame[];
  readonly socketChanges: SocketChange[];
  readonly feedChanges: FeedChange[];
  readonly refilled: RefilledFrame[];
  readonly bridged: BridgedGap[];
  readonly warnings: { fields: object; message: string }[];
  readonly engine: Engine;
  health(source: string): SourceHealth | undefined;
  snapshot(): Snapshot<OpenInterest> | undefined;
  list(coins: readonly string[]): void;
  want(keys?: readonly string[], isOnce?: boolean): void;
  /** Moves time on in steps, giving the sockets a moment after each. */
  pass(ms: number, stepMs?: number): Promise<void>;
  /** Advances time until a condition is met. */
  passUntil(holds: () => boolean, maxMs: number, stepMs?: number): Promise<void>;
  stop(): Promise<void>;
}

const START_MS = Date.UTC(2026, 0, 1);
const ID = 'fake';

/** Enough turns of the event loop for data on loopback sockets to arrive and be answered. */
export async function quiet(turns = 20): Promise<void> {
  for (let i = 0; i < turns; i += 1) await new Promise((resolve) => setImmediate(resolve));
}

export async function startRig(options: RigOptions = {}): Promise<Rig> {
  const clock = new ManualClock(options.startMs ?? START_MS);
  const bus = new LocalBus(clock);
  const venue = await startFakeVenue();
  options.prepare?.(venue);
  const frames: ReceivedFrame[] = [];
  const refused: RefusedFrame[] = [];
  const socketChanges: SocketChange[] = [];
  const feedChanges: FeedChange[] = [];
  const refilled: RefilledFrame[] = [];
  const bridged: BridgedGap[] = [];
  const warnings: { fields: object; message: string }[] = [];
  const limits = {
    weightPerMinute: 1_200,
    requestsInFlight: 4,
    connectionsPerMinute: 60,
    messagesPerMinute: 6_000,
    ...options.limits,
  };
  const { resources = [], lookups = [], feeds = [], primaryVenue = ID } = options;
  const origins = { rest: 'http://nowhere', ws: 'ws://nowhere' };
  const plain = { origins, limits, resources, lookups, feeds };
  const connector = { ...plain, ...options.connector?.(venue.origins) };
  const fake: Venue = { id: ID, name: 'Fake', kind: 'cex', aliases: [], connector };
  const next: Venue = {
    ...fake,
    id: 'neighbour',
    connector: { origins, limits, resources: options.neighbour ?? [], feeds: [] },
  };
  const engine = startEngine({
    venues: options.neighbour ? [fake, next] : [fake],
    primaryVenue,
    originsOf: () => venue.origins,
    bus,
    clock: options.clockOf?.(clock) ?? clock,
    random: seededRandom(7),
    jobs: options.jobs ?? noJobs,
    log: {
      debug: () => {},
      info: () => {},
      warn: (fields, message) => void warnings.push({ fields, message }),
      error: (fields, message) => void warnings.push({ fields, message }),
    },
    sink: (event) => {
      if (event.type === 'frame') frames.push(event);
      else if (event.type === 'refused') refused.push(event);
      else if (event.type === 'socket') socketChanges.push(event);
      else if (event.type === 'feed') feedChanges.push(event);
      else if (event.type === 'refilled') refilled.push(event);
      else if (event.type === 'bridged') bridged.push(event);
    },
    ...(options.proxy === undefined ? {} : { proxy: options.proxy }),
    ...(options.kept ? { kept: options.kept } : {}),
    ...(options.turn ? { turn: options.turn } : {}),
    ...(options.wiretap ? { wiretap: options.wiretap } : {}),
    ...(options.books ? { books: options.books } : {}),
  });
  const rig: Rig = {
    clock,
    bus,
    venue,
    frames,
    refused,
    socketChanges,
    feedChanges,
    refilled,
    bridged,
    warnings,
    engine,
    health: (source) => bus.latest(healthTopic(ID))?.message.find((one) => one.source === `${ID}:${source}`),
    snapshot: () => bus.latest(snapshotTopic(ID, 'openInterest'))?.message,
    list: (coins) => {
      const rows: Instrument[] = coins.map((coin) => ({ coin, symbol: coin, sizeDecimals: 1 }));
      const snapshot = { venue: ID, rows, fetchedAtMs: clock.now(), everyMs: 60_000 };
      bus.publish(snapshotTopic(ID, 'instruments'), snapshot);
    },
    want: (keys, isOnce = false) =>
      bus.publish(demandTopic, { venue: ID, table: 'openInterest', isOnce, ...(keys ? { keys } : {}) }),
    pass: async (ms, stepMs = ms) => {
      for (let leftMs = ms; leftMs > 0; leftMs -= stepMs) {
        clock.advance(Math.min(stepMs, leftMs));
        await quiet();
      }
    },
    passUntil: async (holds, maxMs, stepMs = 100) => {
      for (let passedMs = 0; passedMs < maxMs && !holds(); passedMs += stepMs) await rig.pass(stepMs);
      await vi.waitFor(() => {
        if (!holds()) throw new Error(`does not hold after ${maxMs} ms: ${holds.toString()}`);
      });
    },
    stop: async () => {
      await engine.stop();
      await venue.close();
    },
  };
  if (options.coins) rig.list(options.coins);
  return rig;
}

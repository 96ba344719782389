import { type Clock, HOUR_MS, intervalStart, roundTo } from '@crosstape/core';
import type { SampleKind, SamplePage, SampleSpan, VenueSample } from '@crosstape/venues';
import type { SampleSource } from '../../../ingest/sample-client.ts';
import type { Bus } from '../../../platform/bus.ts';
import type { Store } from '../../../store/store.ts';
import { snapshotTopic } from '../../../topics.ts';
import type { ScheduleRequest, BackfillPiece, BackfillTask } from '../../backfill/backfill.ts';
import { type BackfillState, BackfillTable } from '../../backfill/backfill-table.ts';
import type { OpenedMarket } from '../../candles/opened-markets.ts';
import { perpConventionOf } from '../../markets/venue-ids.ts';
import { scaleRate } from '../funding.ts';
import { listedCoins } from '../listed-coins.ts';
import type { LedgerSample } from './sample-block.ts';
import { type SampleLedger, type Series, seriesKey } from './sample-ledger.ts';
import { type NextSpan, nextSpan, stateAfter } from './sample-spans.ts';

/** Decimals of a sum of contracts. */
const SUM_DECIMALS = 8;
/** Payments further apart than this are not one period: the contract was halted. */
const PERIOD_MAX_HOURS = 24;
/** Payments on either side that a period is compared with. */
const NEIGHBOURS = 2;
/** Series of a venue whose markets are not recorded: of its coins with the most open interest. */
const COINS_MIN = 20;
/** How many coins, the largest, have their newest samples before candles are requested; absent: none. */
const quickCoins: Readonly<Partial<Record<SampleKind, number>>> = {
  funding: 20,
  globalLongs: 5,
  topLongs: 5,
};

export interface SampleTasksOptions {
  readonly store: Store;
  readonly bus: Pick<Bus, 'latest'>;
  readonly clock: Clock;
  readonly ledger: SampleLedger;
  readonly primaryVenue: string;
  /** How many days of hours are requested. */
  readonly days: number;
  /** The recorded markets of a publisher, most traded first. */
  readonly marketsOf: (publisher: string) => Promise<readonly Pick<OpenedMarket, 'symbol'>[]>;
}

/** A series, and the contracts that its samples are made of. */
interface Target extends Series {
  readonly symbols: readonly string[];
}

/** Stores the venues' past open interest, funding and ratios, hourly and newest first; ratios as their hours end. */
export class SampleTasks {
  readonly #options: SampleTasksOptions;
  readonly #states: BackfillTable;

  constructor(options: SampleTasksOptions) {
    this.#options = options;
    this.#states = new BackfillTable(options.store);
  }

  of(source: SampleSource): BackfillTask {
    const venue = source.publisher.id;
    const quickTargets = quickCoins[source.samples.kind];
    return {
      kind: 'samples',
      venue,
      weightPerMinute: source.weightPerMinute,
      ...(quickTargets !== undefined && { quickTargets }),
      targets: async () => {
        const targets = await this.#targets(source);
        return targets?.map((target) => ({ next: () => this.#next(source, target) }));
      },
    };
  }

  /**
   * One series for the coin of each recorded market, and for those with the most open interest; `undefined` while the
   * venue's list is unknown.
   */
  async #targets({
    publisher: { id: venue },
    samples,
  }: SampleSource): Promise<readonly Target[] | undefined> {
    const { bus, marketsOf, primaryVenue } = this.#options;
    const listed = bus.latest(snapshotTopic(venue, 'openInterest'))?.message.rows;
    if (!listed) return undefined;
    const coins = new Map(listed.map(({ symbol, coin }) => [symbol, coin]));
    const targets = new Map<string, Target>();
    const recorded = await marketsOf(venue);
    const readable = listedCoins(bus, primaryVenue);
    const largest = listed
      .filter(({ coin }) => !readable || readable.has(coin))
      .toSorted((a, b) => (b.usd ?? b.value ?? 0) - (a.usd ?? a.value ?? 0));
    for (const [i, { symbol }] of [...recorded, ...largest].entries()) {
      if (i >= recorded.length && targets.size >= COINS_MIN) break;
      const coin = coins.get(symbol);
      if (coin === undefined || targets.has(coin) || samples.covers?.(symbol) === false) continue;
      const contracts = listed.filter((row) => row.coin === coin).map((row) => row.symbol);
      // Open interest is that of all contracts of a coin, the others that of the one with the most.
      const symbols = samples.kind === 'openInterest' ? contracts : [symbol];
      targets.set(coin, { kind: samples.kind, venue, coin, symbols });
    }
    return [...targets.values()];
  }

  async #next(source: SampleSource, target: Target): Promise<BackfillPiece | undefined> {
    const { clock, days } = this.#options;
    const state = await this.#states.get(seriesKey(target), '1h');
    const span = nextSpan({ samples: source.samples, state, nowMs: clock.now(), days });
    return span && { fill: (ask) => this.#fill(source, target, span, { state, ask }) };
  }

  /** Requests and stores one span; returns its cost. */
  async #fill(
    source: SampleSource,
    target: Target,
    span: NextSpan,
    { state, ask }: { readonly state: BackfillState | undefined; readonly ask: ScheduleRequest },
  ): Promise<number> {
    const { fromMs, toMs } = span;
    const pages: SamplePage[] = [];
    let weight = 0;
    for (const symbol of target.symbols) {
      const answers = await readSpan(source, { fromMs, toMs, market: { symbol } }, ask);
      weight += answers.weight;
      pages.push(answers.page);
    }
    const read = target.kind === 'funding' ? paidRates(source, pages[0]) : sumOf(pages);
    const next = stateAfter(target.kind, span, state, {
      // A span that a venue's pages do not reach cannot be requested otherwise either.
      fromMs: source.samples.pagesMax === undefined ? read.fromMs : fromMs,
      isEmpty: pages.every(({ samples }) => samples.length === 0),
      newestTs: read.samples.at(-1)?.t,
    });
    const done = this.#states.putting(seriesKey(target), '1h', next);
    await this.#options.ledger.backfill(target, read.samples, [done]);
    return weight;
  }
}

/**
 * The venue's samples of a span, and their cost. Rows that two pages share, because one was added between them, are
 * returned once.
 */
async function readSpan(
  source: SampleSource,
  span: SampleSpan,
  ask: ScheduleRequest,
): Promise<{ readonly page: SamplePage; readonly weight: number }> {
  const { samples: history } = source;
  const { pagesMax = 1 } = history;
  const samples = new Map<number, VenueSample>();
  const refused: string[] = [];
  let fromMs = span.toMs;
  let weight = 0;
  for (let number = 1; number <= pagesMax && fromMs > span.fromMs; number += 1) {
    const asked = number === 1 ? span : { ...span, page: number };
    weight += history.request(asked).weight ?? history.weight;
    const page = await ask(() => source.read(asked));
    for (const sample of page.samples) samples.set(sample.ts, sample);
    refused.push(...(page.refused ?? []));
    fromMs = page.fromMs;
  }
  const sorted = [...samples.values()].toSorted((a, b) => a.ts - b.ts);
  return { page: { samples: sorted, fromMs, refused }, weight };
}

/** Samples as they are stored, and since when they are all there. */
interface Read {
  readonly samples: readonly LedgerSample[];
  readonly fromMs: number;
}

/**
 * The sum over the contracts of a coin; a ratio is that of one contract. A contract counts from its first sample; where one is missing there is no sum.
 */
function sumOf(pages: readonly SamplePage[]): Read {
  const fromMs = Math.max(...pages.map((page) => page.fromMs));
  const contracts = pages.filter(({ samples }) => samples.length > 0).map(({ samples }) => byHour(samples));
  const hours = new Set(contracts.flatMap((values) => [...values.keys()]));
  const samples: LedgerSample[] = [];
  for (const t of [...hours].toSorted((a, b) => a - b)) {
    if (t < fromMs) continue;
    const begun = contracts.filter((values) => t >= Math.min(...values.keys()));
    const known = begun.flatMap((values) => values.get(t) ?? []);
    if (known.length < begun.length) continue;
    const value = roundTo(
      known.reduce((sum, one) => sum + one, 0),
      SUM_DECIMALS,
    );
    samples.push({ t, value, periodHours: 0, origin: 'venue' });
  }
  return { samples, fromMs };
}

/**
 * Each rate with its period: the venue's, or the time since the previous payment. The oldest of an answer has no
 * previous one: it is requested again as the newest of the next.
 */
function paidRates({ publisher, samples: history }: SampleSource, page: SamplePage | undefined): Read {
  const { fundingPeriodHours } = perpConventionOf(publisher.id);
  const paid = [...byHour(page?.samples ?? [])];
  const distances = paid.slice(1).map(([t], i) => (t - (paid[i]?.[0] ?? t)) / HOUR_MS);
  const hasRefused = (page?.refused ?? []).length > 0;
  const samples = paid.slice(1).flatMap(([t, rate], i): readonly LedgerSample[] => {
    const periodHours = history.periodHours ?? periodAt(distances, i, hasRefused);
    if (periodHours === undefined) return [];
    const value = scaleRate({ rate, periodHours }, fundingPeriodHours);
    return [{ t, value, periodHours, origin: 'venue' }];
  });
  const oldest = paid.length > 1 ? (paid[0]?.[0] ?? 0) + HOUR_MS : undefined;
  return { samples, fromMs: oldest ?? page?.fromMs ?? 0 };
}

/**
 * The distance to the payment before, unless it is longer than the usual one around it: then a payment between the two
 * may be absent or malformed, and the rate would be stored as that of a longer period. Usual is the median, and the
 * shortest where rows were refused. A contract that changes to a longer period has new neighbours, and loses a payment at
 * most at the ends of an answer.
 */
function periodAt(distances: readonly number[], i: number, hasRefused: boolean): number | undefined {
  const distance = distances[i] ?? Number.POSITIVE_INFINITY;
  const around = distances.slice(Math.max(0, i - NEIGHBOURS), i + NEIGHBOURS + 1).toSorted((a, b) => a - b);
  const usual = around[hasRefused ? 0 : (around.length - 1) >> 1] ?? 0;
  return distance > usual || distance > PERIOD_MAX_HOURS ? undefined : distance;
}

/** Values by full hour: a venue may date them some milliseconds late. */
function byHour(samples: readonly VenueSample[]): ReadonlyMap<number, number> {
  return new Map(samples.map(({ ts, value }) => [intervalStart(ts, HOUR_MS), value]));
}

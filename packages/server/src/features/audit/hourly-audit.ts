import { setMaxListeners } from 'node:events';
import {
  candleRow,
  type CandleRow,
  type Clock,
  DAY_MS,
  HOUR_MS,
  type HourAudit,
  MINUTE_MS,
  sleep,
  venueCandles,
} from '@crosstape/core';
import type { CandleSource } from '../../ingest/candle-client.ts';
import { SourceFailure } from '../../ingest/source-failure.ts';
import type { Bus } from '../../platform/bus.ts';
import { LocalBus } from '../../platform/local-bus.ts';
import type { Log } from '../../platform/log.ts';
import type { Retention } from '../../platform/retention.ts';
import type { Store } from '../../store/store.ts';
import { auditStateTopic, auditTopic } from '../../topics.ts';
import { CandleTable } from '../candles/candle-table.ts';
import type { OpenedMarket } from '../candles/opened-markets.ts';
import { recordedMinutes } from '../candles/recorded-minutes.ts';
import { spansIn, stretchesOf } from '../candles/settle-candles.ts';
import { whenCaughtUp } from '../candles/when-caught-up.ts';
import { recordedTicks } from '../tape/recorded-ticks.ts';
import { createTapeReader } from '../tape/tape-reader.ts';
import { AUDIT_KEEP_MS, AuditTable, type DaySum, noVerdicts } from './audit-table.ts';
import { compareHour, type HourToCompare } from './compare-hour.ts';
import { type HourToRepair, repairHour } from './repair-hour.ts';
import { RepairedTable } from './repaired-table.ts';

/** Complete hours without a verdict that are audited; older ones stay without. */
const HOURS_BACK = 3;
/** Share of a venue's hourly and per-minute limits that the audit uses. */
const HOUR_SHARE = 0.05;
const MINUTE_SHARE = 0.25;
export const DIFFERING_MAX = 100;
/** Hours of a venue whose trades are requested again in one round; more stay as they are. */
const REFILLS_MAX = 5;
/** Maximum of these with reported gaps: unexplained differences take precedence. */
const GAP_REFILLS_MAX = 3;
/** While the markets of a venue are compared, its days are summed up this often. */
const SUM_EVERY_MS = 15_000;

export interface HourlyAuditOptions {
  readonly store: Store;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  readonly keptFromMs: Retention;
  /** The recorded markets of a publisher, most traded first. */
  readonly marketsOf: (publisher: string) => Promise<readonly OpenedMarket[]>;
  /** How long after an hour its venues have all candles of it. */
  readonly delayMs: number;
  /** Share of a venue's limit per minute used for the hours before the start. */
  readonly startShare?: number;
}

/** Compares each recorded hour with the venues' own candles, a few minutes after its end. */
export class HourlyAudit {
  readonly #options: HourlyAuditOptions;
  readonly #table: AuditTable;
  readonly #candles: CandleTable;
  readonly #sources: CandleSource[] = [];
  readonly #stopping = new AbortController();
  readonly #repaired: RepairedTable;
  /** By publisher: requests trades of the past, where trades are numbered. */
  readonly #pasts = new Map<string, HourToRepair['past']>();
  readonly #refills = new Map<string, number>();
  readonly #counts = new Map<string, ReturnType<typeof noVerdicts>>();
  /** By market; of the last day. */
  readonly #differing = new Map<string, readonly HourAudit[]>();
  #nextAtMs: number | undefined;
  #running: Promise<unknown> = Promise.resolve();

  constructor(options: HourlyAuditOptions) {
    this.#options = options;
    this.#table = new AuditTable(options.store);
    this.#candles = new CandleTable(options.store);
    this.#repaired = new RepairedTable(options.store);
    // One for each venue that waits.
    setMaxListeners(0, this.#stopping.signal);
  }

  add(source: CandleSource): void {
    this.#sources.push(source);
  }

  /** From where trades of a publisher's markets can be requested again. */
  addPast(publisher: string, past: HourToRepair['past']): void {
    this.#pasts.set(publisher, past);
  }

  /** Begins once this process is the one that records, and every recorded trade is in the ledger of candles. */
  start(): void {
    const leave = whenCaughtUp(this.#options.bus, () => this.#begin());
    this.#stopping.signal.addEventListener('abort', leave, { once: true });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  #begin(): void {
    this.#running = this.#run().catch((error: unknown) => {
      if (!this.#stopping.signal.aborted) this.#options.log.error({ err: error }, 'the audit has ended');
    });
  }

  async #run(): Promise<void> {
    const { clock, delayMs, startShare = MINUTE_SHARE } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const endMs = Math.floor((clock.now() - delayMs) / HOUR_MS) * HOUR_MS;
      const minuteShare = this.#nextAtMs === undefined ? startShare : MINUTE_SHARE;
      await Promise.all(this.#sources.map((source) => this.#auditVenue(source, endMs, minuteShare)));
      this.#nextAtMs = endMs + HOUR_MS + delayMs;
      this.#publishState();
      await sleep(clock, Math.max(0, this.#nextAtMs - clock.now()), signal);
    }
  }

  /** Audits what is due on a venue before `endMs`: oldest hours first, within its share of the venue's limits. */
  async #auditVenue(source: CandleSource, endMs: number, minuteShare: number): Promise<void> {
    const { clock, log, marketsOf } = this.#options;
    const { signal } = this.#stopping;
    const { publisher, candles, weightPerMinute } = source;
    try {
      const markets = await marketsOf(publisher.id);
      const due = await this.#due(markets, endMs);
      const sums = daySums(publisher.id, endMs);
      // Since the last sum; at first, all are read.
      const changed = new Set(markets.map(({ id }) => id));
      this.#refills.delete(publisher.id);
      let left = HOUR_SHARE * 60 * weightPerMinute;
      let summedMs = 0;
      for (const [i, { market, fromMs }] of due.entries()) {
        if (i > 0 && left < candles.weight) break;
        const weight = await this.#auditMarket(source, market, fromMs, endMs);
        signal.throwIfAborted();
        left -= weight;
        changed.add(market.id);
        if (clock.now() - summedMs >= SUM_EVERY_MS) {
          summedMs = clock.now();
          await this.#sumUp(sums, changed, endMs);
          changed.clear();
        }
        this.#publishState();
        const isLast = i === due.length - 1;
        const pauseMs = (weight / (minuteShare * weightPerMinute)) * MINUTE_MS;
        if (!isLast) await sleep(clock, pauseMs, signal);
      }
      await this.#sumUp(sums, changed, endMs);
      await this.#prune(markets);
    } catch (error) {
      if (signal.aborted) return;
      log.error({ err: error, venue: publisher.id }, 'recorded hours cannot be compared');
    }
  }

  /** Markets with hours without a verdict, or only that the venue was unavailable, and since when. */
  async #due(
    markets: readonly OpenedMarket[],
    endMs: number,
  ): Promise<readonly { readonly market: OpenedMarket; readonly fromMs: number }[]> {
    const due: { readonly market: OpenedMarket; readonly fromMs: number }[] = [];
    for (const market of markets) {
      const sinceMs = market.recordedSinceMs ?? endMs;
      const rows = await this.#table.hours(market.id, endMs - HOURS_BACK * HOUR_MS, endMs);
      const done = new Set(rows.filter(({ verdict }) => verdict !== 'unavailable').map(({ hour }) => hour));
      for (let hour = endMs - HOURS_BACK * HOUR_MS; hour < endMs; hour += HOUR_MS) {
        if (done.has(hour) || hour + HOUR_MS <= sinceMs) continue;
        due.push({ market, fromMs: hour });
        break;
      }
    }
    return due.toSorted((a, b) => a.fromMs - b.fromMs);
  }

  /** Audits the due hours of a market; returns the cost. */
  async #auditMarket(
    source: CandleSource,
    market: OpenedMarket,
    fromMs: number,
    toMs: number,
  ): Promise<number> {
    const { bus, clock, log } = this.#options;
    const { publisher } = source;
    const span = { market, interval: '1m', fromMs, toMs } as const;
    const weight = source.candles.request(span).weight ?? source.candles.weight;
    const theirs = await venueRows(source, span, market).catch((error: unknown) => {
      this.#stopping.signal.throwIfAborted();
      return error instanceof SourceFailure ? error.message : Promise.reject(error);
    });
    const minutes = await recordedMinutes(this.#candles, market, fromMs, toMs);
    const ours = minutes.map((candle) => candleRow(candle, null));
    const stretches = await stretchesOf(market.gaps, market.symbol, fromMs - MINUTE_MS, toMs);
    const gaps = spansIn(stretches, ['missing', 'partial']);
    const refilled = spansIn(stretches, ['refilled']);
    const within = <Row extends { readonly ts: number }>(rows: readonly Row[], hour: number) =>
      rows.filter(({ ts }) => ts >= hour && ts < hour + HOUR_MS);
    const audited: HourAudit[] = [];
    for (let hour = fromMs; hour < toMs; hour += HOUR_MS) {
      const own = within(ours, hour);
      const isAnswered = typeof theirs !== 'string' && (theirs.length > 0 || own.length === 0);
      const compared = {
        market: market.id,
        hour,
        ours: own,
        ...(isAnswered && { venue: within(theirs, hour) }),
        ...(typeof theirs === 'string' && { reason: theirs }),
        gaps: gaps.filter(({ from, to }) => from < hour + HOUR_MS && to > hour),
        refilled: refilled.filter(({ from, to }) => from < hour + HOUR_MS && to > hour - MINUTE_MS),
        proves: source.candles.proves,
      };
      const first = compareHour(compared);
      const isRequested =
        first.verdict === 'differs' || (first.verdict === 'incomplete' && first.minutes !== undefined);
      const result = isRequested ? await this.#repair(publisher.id, market, compared, first) : first;
      audited.push(result);
      const counts = this.#counts.get(publisher.id) ?? noVerdicts();
      this.#counts.set(publisher.id, counts);
      counts[result.verdict] += 1;
      if (result.verdict === 'differs') {
        const differing = result.minutes?.filter(({ isReported }) => !isReported).map(({ ts }) => ts);
        const fields = {
          market: market.id,
          hour,
          diffPct: result.diffPct,
          minutes: differing,
          refill: result.refill,
        };
        log.warn({ venue: publisher.id, ...fields }, "a recorded hour differs from the venue's own candles");
      }
    }
    await this.#table.put(audited);
    for (const one of audited) bus.publish(auditTopic, { ts: clock.now(), ...one });
    return weight;
  }

  /** Requests the differing minutes once, and stores missing trades beside the tape. */
  async #repair(
    publisher: string,
    market: OpenedMarket,
    compared: HourToCompare,
    result: HourAudit,
  ): Promise<HourAudit> {
    const past = this.#pasts.get(publisher);
    const refills = this.#refills.get(publisher) ?? 0;
    const refillsMax = result.verdict === 'differs' ? REFILLS_MAX : GAP_REFILLS_MAX;
    // If recording began within the hour, earlier trades are not missing from the tape.
    const isWithin = compared.hour >= (market.recordedSinceMs ?? 0);
    if (!past || !isWithin || refills >= refillsMax) return result;
    this.#refills.set(publisher, refills + 1);
    const { symbol, restSymbol, units, ticks } = market;
    const tape = createTapeReader({ table: ticks, bus: new LocalBus(this.#options.clock) });
    const { refill, trades } = await repairHour({
      compared,
      result,
      market: { symbol, ...(restSymbol !== undefined && { restSymbol }) },
      units,
      past,
      recorded: (from, to) => recordedTicks(tape, symbol, from, to),
    });
    this.#stopping.signal.throwIfAborted();
    if (trades.length > 0) await this.#repaired.put(market.id, trades);
    return { ...result, refill };
  }

  async #sumUp(sums: readonly DaySum[], changed: ReadonlySet<string>, endMs: number): Promise<void> {
    for (const sum of sums) await this.#table.sumUp(sum, changed);
    for (const id of changed) {
      const hours = await this.#table.hours(id, endMs - DAY_MS, endMs);
      const differing = hours.filter(({ verdict, refill }) => verdict === 'differs' && !refill?.isRepaired);
      if (differing.length > 0) this.#differing.set(id, differing);
      else this.#differing.delete(id);
    }
    this.#publishState();
  }

  async #prune(markets: readonly OpenedMarket[]): Promise<void> {
    const beforeMs = this.#options.keptFromMs(AUDIT_KEEP_MS);
    if (beforeMs === undefined) return;
    const ids = markets.map(({ id }) => id);
    await this.#table.prune(beforeMs, ids);
    for (const id of ids) await this.#repaired.prune(id, beforeMs);
  }

  #publishState(): void {
    const { bus, clock } = this.#options;
    const differing = [...this.#differing.values()].flat().map(({ market, hour, diffPct }) => ({
      market,
      hour,
      ...(diffPct !== undefined && { diffPct }),
    }));
    bus.publish(auditStateTopic, {
      checkedAtMs: clock.now(),
      ...(this.#nextAtMs !== undefined && { nextAtMs: this.#nextAtMs }),
      counts: Object.fromEntries([...this.#counts].map(([venue, counts]) => [venue, { ...counts }])),
      differing: differing.toSorted((a, b) => b.hour - a.hour).slice(0, DIFFERING_MAX),
    });
  }
}

/** The days of the hours that a round looks at. */
function daySums(venue: string, endMs: number): readonly DaySum[] {
  const starts = [endMs - HOURS_BACK * HOUR_MS, endMs - 1].map((ms) => Math.floor(ms / DAY_MS) * DAY_MS);
  return [...new Set(starts)].map((day) => ({ venue, day, markets: new Map() }));
}

async function venueRows(
  source: CandleSource,
  span: Parameters<CandleSource['read']>[0],
  { units }: OpenedMarket,
): Promise<readonly CandleRow[]> {
  return venueCandles(await source.read(span), units).map((candle) => candleRow(candle, null));
}

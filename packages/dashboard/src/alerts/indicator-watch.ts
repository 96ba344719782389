import { candleIntervalsMs } from '@crosstape/client/bars';
import { percent, price } from '../format/numbers.ts';
import { perpVenues } from '../format/venues.ts';
import { joined } from '../live/joined-update.ts';
import type { Bar, BarsTopic, Update } from '../live/topic.ts';
import type { IndicatorRun } from '../pages/market/indicator.ts';
import { type AlertRule, isOfMarket } from './alert-rule.ts';
import type { AlertWatch, Measured } from './alert-watch.ts';
import { type AlertLine, figure, type IndicatorCondition, utcTime } from './indicator-condition.ts';
import type { alertIndicator } from './indicator-lines.ts';

/** The code of indicators. */
interface Lines {
  readonly alertIndicator: typeof alertIndicator;
}

const DAY_MS = 86_400_000;
/** Days that an indicator may begin before the newest bar. */
const DAYS = { day: 1, week: 7, month: 31 } as const;
/** Bars: as many as a chart begins with, which shares them; those of one answer; and those of a CVD since a time. */
const BARS_FIRST = 1_000;
const BARS_MAX = 10_000;
const BARS_SINCE = 5_000;
const STEP = 1_000;

/** Bars that a condition needs. */
function barsOf({ text, interval, sinceTs }: IndicatorCondition): number {
  const [kind, period] = text.split('_');
  if (kind === 'cvd' && sinceTs !== undefined) return BARS_SINCE;
  if (kind !== 'cvd' && kind !== 'vwap') return BARS_FIRST;
  const days = period === 'week' || period === 'month' ? DAYS[period] : DAYS.day;
  const needed = (days * DAY_MS) / candleIntervalsMs[interval] + 1;
  return Math.min(BARS_MAX, Math.max(BARS_FIRST, Math.ceil(needed / STEP) * STEP));
}

/** A line of an indicator, computed bar by bar. */
class LineRun {
  readonly #run: IndicatorRun;
  readonly #line: number;
  #closed: number | undefined;

  constructor(run: IndicatorRun, line: number) {
    this.#run = run;
    this.#line = line;
  }

  close(bar: Bar): void {
    this.#closed = this.#run.close(bar)[this.#line];
  }

  /** With the bar in progress, if any. */
  at(open: Bar | undefined): number | undefined {
    return open ? this.#run.peek(open)[this.#line] : this.#closed;
  }
}

/** Bars of a market, and what is computed from them. */
export class IndicatorWatch implements AlertWatch {
  readonly topics: readonly BarsTopic[];
  readonly #condition: IndicatorCondition;
  #lines: Lines | undefined;
  /** What came before the code of indicators was loaded. */
  #waiting: Update | undefined;
  #runs: readonly LineRun[] = [];
  #count = 0;
  #lastClosed: Bar | undefined;
  #open: Bar | null = null;
  problem: string | undefined;

  constructor(rule: AlertRule, condition: IndicatorCondition, load: () => Promise<Lines>) {
    this.#condition = condition;
    const market = isOfMarket(rule) ? rule.subject : `${perpVenues[0]}:${rule.subject}`;
    const { interval } = condition;
    this.topics = [{ from: 'bars', spec: { market, interval, limit: barsOf(condition) } }];
    void this.#begin(load);
  }

  take(_: number, update: Update): void {
    if (this.#lines) this.#pass(update as Update<Bar>);
    else this.#waiting = this.#waiting ? joined(this.#waiting, update) : update;
  }

  measure(): Measured | undefined {
    const { interval, isAtClose } = this.#condition;
    const open = isAtClose ? undefined : (this.#open ?? undefined);
    const bar = open ?? this.#lastClosed;
    if (!bar || this.#runs.length === 0) return undefined;
    const [value, against] = this.#runs.map((run) => run.at(open));
    const isMissing = value === undefined || (this.#runs.length > 1 && against === undefined);
    this.problem = isMissing
      ? `${this.#count} bars of ${interval} do not reach back far enough, or lack its figures.`
      : undefined;
    if (value === undefined || isMissing) return undefined;
    return this.#measured(value, against, bar);
  }

  #measured(value: number, against: number | undefined, { close, openTs }: Bar): Measured {
    const { interval, title, isOverlay, against: other } = this.#condition;
    const where = `${interval} bar of ${utcTime(openTs)}`;
    if (!isOverlay) return { value, text: `${title} ${figure(value)}, close ${price(close)}, ${where}` };
    const [name, at, from, fromTitle] = other
      ? [title, value, against ?? NaN, other.title]
      : ['close', close, value, title];
    const far = (at / from - 1) * 100;
    const text = `${name} ${price(at)}, ${percent(far, { digits: 2 })} from ${fromTitle} at ${price(from)}, ${where}`;
    return { value: far, text };
  }

  async #begin(load: () => Promise<Lines>): Promise<void> {
    try {
      this.#lines = await load();
      this.#start();
      const waiting = this.#waiting;
      this.#waiting = undefined;
      if (waiting) this.#pass(waiting as Update<Bar>);
    } catch (error) {
      this.problem = `Indicators could not be loaded: ${(error as Error).message}`;
    }
  }

  #start(): void {
    const { against, sinceTs } = this.#condition;
    const wanted: readonly AlertLine[] = against ? [this.#condition, against] : [this.#condition];
    this.#runs = wanted.flatMap(({ text, line }) => {
      const run = this.#lines?.alertIndicator(text, sinceTs)?.run();
      return run ? [new LineRun(run, line)] : [];
    });
    this.#count = 0;
    [this.#lastClosed, this.#open] = [undefined, null];
    if (this.#runs.length < wanted.length) {
      this.#runs = [];
      this.problem = 'This version does not have that indicator.';
    }
  }

  #pass({ items, open, isWhole }: Update<Bar>): void {
    // Not of bars, but of the connection.
    if (open === undefined) return;
    if (isWhole) this.#start();
    for (const bar of items) for (const run of this.#runs) run.close(bar);
    this.#count += items.length;
    this.#lastClosed = items.at(-1) ?? this.#lastClosed;
    this.#open = open;
  }
}

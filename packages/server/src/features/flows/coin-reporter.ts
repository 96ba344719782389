import { type FlowPoint, MINUTE_MS } from '@crosstape/core';
import { type FlowFigures, flowFigures, type FlowInputs, type RecentPrices } from './flow-figures.ts';
import { pressureInWords } from './flow-pressure.ts';
import { type FlowParts, type FlowReport, newestFetchMs, partsAt } from './flow-report.ts';
import type { FlowFailures } from './flow-sources.ts';
import { receivedBooks } from './kimchi-premium.ts';
import { NetDeviation } from './net-deviation.ts';
import { MOMENT_KEEP_MS, type Received } from './same-moment.ts';
import { SignalWatch } from './signal-watch.ts';

/** Makes the reports of one coin: figures, and the state between reports. */
export class CoinReporter {
  readonly #coin: string;
  readonly #deviation = new NetDeviation();
  readonly #watch: SignalWatch;
  #parts: FlowParts = {};
  #recent: RecentPrices = { spot: [], books: [] };
  /** Totals of the minute in progress. */
  #minute: { readonly startMs: number; readonly netUsd: number | undefined } | undefined;

  /** `history`: recorded points of the last 24 hours, oldest first. */
  constructor(coin: string, history: readonly FlowPoint[]) {
    this.#coin = coin;
    this.remember(history);
    this.#watch = new SignalWatch(coin, history.at(-1)?.signals);
  }

  /** Adds recorded points to the baseline. */
  remember(history: readonly FlowPoint[]): void {
    this.#deviation.putBefore(
      history.flatMap(({ t, values: { primaryMicroNetUsd5m: netUsd } }) =>
        netUsd === undefined ? [] : [{ minuteMs: t, netUsd }],
      ),
    );
  }

  report(
    inputs: Omit<FlowInputs, 'coin' | 'deviation'>,
    failuresOf: (figures: FlowFigures) => FlowFailures,
  ): FlowReport {
    const coin = this.#coin;
    const recent = recentAt(this.#recent, inputs.nowMs);
    const figures = flowFigures({ ...inputs, coin, recent, deviation: this.#deviation.value });
    this.#recent = withPrices(recent, figures, inputs.korea);
    this.#parts = partsAt(figures, this.#parts);
    this.#endMinute(figures);
    const signals = this.#watch.update(figures);
    return {
      coin,
      atMs: figures.atMs,
      figures,
      parts: this.#parts,
      signals,
      marks: this.#watch.marks,
      headline: signals[0]?.title ?? pressureInWords(figures.pressure.score),
      failures: failuresOf(figures),
      fetchedAtMs: newestFetchMs(figures) ?? figures.atMs,
    };
  }

  /** Adds a finished minute to the baseline. */
  #endMinute({ atMs, primaryTape }: FlowFigures): void {
    const startMs = Math.floor(atMs / MINUTE_MS) * MINUTE_MS;
    const minute = this.#minute;
    if (minute && minute.startMs < startMs && minute.netUsd !== undefined)
      this.#deviation.add(minute.startMs, minute.netUsd);
    this.#minute = { startMs, netUsd: primaryTape?.isWhole ? primaryTape.netUsd : undefined };
  }
}

/** Without those that are too old to be compared, or of a later time: the clock was set back. */
function recentAt({ spot, books }: RecentPrices, nowMs: number): RecentPrices {
  const isKept = ({ receivedAtMs }: Received): boolean => Math.abs(nowMs - receivedAtMs) <= MOMENT_KEEP_MS;
  return { spot: spot.filter(isKept), books: books.filter(isKept) };
}

/** With the newest prices, as they were for this report. */
function withPrices(
  { spot, books }: RecentPrices,
  { coin, newest }: FlowFigures,
  korea: FlowInputs['korea'],
): RecentPrices {
  const local = [coin, 'USDT'].flatMap((one) => receivedBooks(korea.books, one));
  return {
    spot: eachOnce([...spot, ...newest], ({ venue }) => venue),
    books: eachOnce([...books, ...local], ({ symbol }) => symbol),
  };
}

/** Prices received from the same source at the same time are the same. */
function eachOnce<Price extends Received>(
  prices: readonly Price[],
  nameOf: (price: Price) => string,
): readonly Price[] {
  return [...new Map(prices.map((price) => [`${nameOf(price)} ${price.receivedAtMs}`, price])).values()];
}

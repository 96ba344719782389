import { HOUR_MS, type Market, MINUTE_MS } from '@crosstape/core';
import { MOST, readObject, readRows } from './reading.ts';
import type { VenueRequest } from './venue.ts';

/** Long/short ratios, as the share that is long: of all accounts, or of the positions of the largest traders. */
export type RatioKind = 'globalLongs' | 'topLongs';

/** What a venue keeps a history of, besides candles. */
export type SampleKind = 'openInterest' | 'funding' | RatioKind;

/** Samples of one contract with `fromMs <= ts < toMs`; both are full hours, and at most `spanMs` apart. */
export interface SampleSpan {
  readonly market: Pick<Market, 'symbol'>;
  readonly fromMs: number;
  readonly toMs: number;
  /** Of a venue with pages, from 1 on; absent: the first. */
  readonly page?: number;
}

export interface VenueSample {
  readonly ts: number;
  /**
   * One-sided open interest in the venue's contracts; the rate that was paid, as a fraction of one period; or the share
   * that was long, 0 to 1.
   */
  readonly value: number;
}

/** What one answer has of the span. */
export interface SamplePage {
  /** Oldest first. */
  readonly samples: readonly VenueSample[];
  /** The answer leaves nothing out since then: later than the start of the span when it is full. */
  readonly fromMs: number;
  /** Why rows of the answer were left out. */
  readonly refused?: readonly string[];
}

/** The venue's own history of open interest or long/short ratios at full hours, or of the funding rates that were paid. */
export interface VenueSamples {
  readonly kind: SampleKind;
  /** Name of the source in `/sources`. */
  readonly name: string;
  /** Cost of one request in the venue's own weight units. */
  readonly weight: number;
  /** Requests a minute, where the venue counts these apart from the rest. */
  readonly perMinute?: number;
  /** The longest span of one request. */
  readonly spanMs: number;
  /** How far back the venue answers; absent: to the listing. */
  readonly reachMs?: number;
  /** The venue answers from the newest on, whatever the span: at most this many pages are read, until one reaches its start. */
  readonly pagesMax?: number;
  /** Of funding: the period of every contract; absent: they differ, and may change. */
  readonly periodHours?: number;
  /** Whether a contract has it; absent: every one. */
  covers?(symbol: string): boolean;
  request(span: SampleSpan): VenueRequest;
  /** Throws as a resource does. */
  parse(body: unknown, span: SampleSpan): SamplePage;
}

export interface VenueSamplesOptions extends Omit<VenueSamples, 'parse'> {
  /** The most rows of one answer: the newest of the span when they come newest first. */
  readonly rowsMax: number;
  readonly order: 'newestFirst' | 'oldestFirst';
  readonly rows: (body: unknown, span: SampleSpan) => readonly unknown[];
  readonly sample: (row: unknown, what: string) => VenueSample;
}

type ReadField = readonly [name: string, read: (value: unknown, what: string) => number];

/** Reads a sample from the fields of a row with its time and its value. */
export function sampleOf(
  [time, readTime]: ReadField,
  [value, readValue]: ReadField,
): VenueSamplesOptions['sample'] {
  return (row, what) => {
    const fields = readObject(row, what);
    return {
      ts: readTime(fields[time], `${what}.${time}`),
      value: readValue(fields[value], `${what}.${value}`),
    };
  };
}

/** A time after the last full hour of a span and before the next, for venues that exclude the end, and none in the future. */
export function spanEndMs({ toMs }: Pick<SampleSpan, 'toMs'>): number {
  return toMs - HOUR_MS + MINUTE_MS;
}

/** Reads an answer row by row; rows outside the span are left out. */
export function venueSamples(options: VenueSamplesOptions): VenueSamples {
  const { rowsMax, order, rows: rowsOf, sample, ...source } = options;
  return {
    ...source,
    parse(body, span): SamplePage {
      const list = rowsOf(body, span);
      const { rows, refused } = readRows(
        list.length,
        (i) => sample(list[i], `${span.market.symbol}[${i}]`),
        MOST,
      );
      const samples = rows.filter(({ ts }) => ts >= span.fromMs && ts < span.toMs);
      if (order === 'newestFirst') samples.reverse();
      const isFull = order === 'newestFirst' && list.length >= rowsMax;
      const oldestMs = isFull ? rows.at(-1)?.ts : undefined;
      const fromMs = Math.max(span.fromMs, oldestMs ?? span.fromMs);
      return { samples, fromMs, ...(refused.length > 0 && { refused }) };
    },
  };
}

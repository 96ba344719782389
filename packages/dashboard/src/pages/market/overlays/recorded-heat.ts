import type { AnswerOf } from '@crosstape/client';
import type { HeatColumn } from './book-heat.ts';

/** Columns of an answer of the service. */
export const PAGE_COLUMNS = 300;

type Series = AnswerOf<'/orderbook/history'>['data'];
export type RecordedBook = Pick<Series['points'][number], 'ts' | 'step' | 'bids' | 'asks'>;

/** Recorded order books that are loaded for a chart. */
export interface HeatRecord {
  /** Oldest first, one for each book. */
  readonly columns: readonly HeatColumn[];
  /** Where the next older page ends; `undefined`: there is none. */
  readonly nextEnd: number | undefined;
  /** Width of the narrowest level of the newest book. */
  readonly step: number;
}

interface Page {
  readonly points: readonly RecordedBook[];
  readonly nextEnd: number | undefined;
  readonly lengthMs: number;
}

/** With the newest page, which is polled; begins again where books between are missing from both. */
export function withNewestBooks(record: HeatRecord | undefined, page: Page): HeatRecord | undefined {
  const first = page.points[0];
  if (!first) return record;
  const columns = page.points.map((book) => columnOf(book, page.lengthMs));
  const step = page.points.at(-1)?.step ?? first.step;
  const lastMs = record?.columns.at(-1)?.fromMs;
  const isGap = lastMs !== undefined && lastMs < first.ts && page.nextEnd !== undefined;
  if (!record || isGap) return { columns, nextEnd: page.nextEnd, step };
  const kept = record.columns.filter(({ fromMs }) => fromMs < first.ts);
  return { columns: [...kept, ...columns], nextEnd: record.nextEnd, step };
}

/** With a page that ends where the record begins. */
export function withOlderBooks(record: HeatRecord, page: Page): HeatRecord {
  const firstMs = record.columns[0]?.fromMs ?? Infinity;
  const older = page.points.filter(({ ts }) => ts < firstMs).map((book) => columnOf(book, page.lengthMs));
  return { ...record, columns: [...older, ...record.columns], nextEnd: page.nextEnd };
}

/** The levels of a book until the next one, with their widths: above a bid, below an ask. */
function columnOf({ ts, bids, asks }: RecordedBook, lengthMs: number): HeatColumn {
  const all = [...bids.map((level) => [level, 1] as const), ...asks.map((level) => [level, -1] as const)];
  const levels = new Float64Array(2 * all.length);
  const widths = new Float64Array(all.length);
  for (const [i, [[price = 0, size = 0, width = 0], sign]] of all.entries()) {
    levels[2 * i] = price;
    levels[2 * i + 1] = price * size;
    widths[i] = sign * width;
  }
  return { fromMs: ts, toMs: ts + lengthMs, levels, widths };
}

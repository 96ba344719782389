import type { Span } from '../../../features/tape/gap-ledger.ts';

/** A recovered part of a coin's record, and its time: half open, in ms. */
export interface Known extends Span {
  readonly coin: string;
}

export interface LostOptions {
  /** In the order of their table: by coin, then by time. */
  readonly known: readonly Known[];
  /** Indices before which rows may be missing; the number of rows means the end. */
  readonly breaks: ReadonlySet<number>;
  /** All known coins, in the same order. */
  readonly coins: readonly string[];
  /** The time of the whole record. */
  readonly record: Span;
}

/** Times with possibly lost rows: between the recovered parts on either side of each break. */
export function lostBetween({ known, breaks, coins, record }: LostOptions): readonly Known[] {
  const lost: Known[] = [];
  for (const at of breaks) {
    const [before, after] = [known[at - 1], known[at]];
    if (before && before.coin === after?.coin) {
      lost.push({ coin: before.coin, from: before.to, to: after.from });
      continue;
    }
    if (before) lost.push({ coin: before.coin, from: before.to, to: record.to });
    for (const coin of coins)
      if ((!before || coin > before.coin) && (!after || coin < after.coin)) lost.push({ coin, ...record });
    if (after) lost.push({ coin: after.coin, from: record.from, to: after.from });
  }
  return lost.filter(({ from, to }) => from < to);
}

import type { GapLedger, TapeSpan } from './gap-ledger.ts';
import type { TickTable } from './tick-table.ts';

/**
 * The last recorded span, to be continued. Spans that end in the future were entered by a clock that was ahead: they
 * would hide missing trades, so they are cut at the newest recorded trade.
 */
export async function recordedSpan(
  ledger: GapLedger,
  table: TickTable,
  nowMs: number,
): Promise<TapeSpan | undefined> {
  const ahead = await ledger.spans(nowMs, Number.MAX_SAFE_INTEGER);
  if (ahead.length > 0) await ledger.cutSpans(nowMs, await newestTs(table));
  return ledger.lastSpan();
}

async function newestTs(table: TickTable): Promise<number> {
  let newest = 0;
  for (const coin of await table.coins()) {
    const [sealed] = await table.newestNames(coin, 1);
    newest = Math.max(newest, sealed?.endTs ?? 0);
    for (const { columns } of await table.tail(coin))
      newest = Math.max(newest, columns.ts[columns.length - 1] ?? 0);
  }
  return newest;
}

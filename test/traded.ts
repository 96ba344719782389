import { type Market, TradeColumns } from '@crosstape/simulator';

/** Trades that are read at a time: hours of a busy coin have millions. */
const PART = 100_000;

export interface Traded {
  readonly ts: number;
  readonly tid: number;
}

/** The trades of a simulated market itself, whatever a venue sent of them. */
export function traded(market: Pick<Market, 'fill'>, coin: string, fromMs: number, toMs: number): Traded[] {
  const columns = new TradeColumns(PART);
  const rows: Traded[] = [];
  for (let atMs = fromMs; atMs < toMs; ) {
    atMs = market.fill(coin, atMs, toMs, columns);
    for (let i = 0; i < columns.length; i += 1)
      rows.push({ ts: columns.ts[i] as number, tid: columns.tid[i] as number });
  }
  return rows;
}

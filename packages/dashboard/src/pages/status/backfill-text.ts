interface Backfill {
  readonly isDone: boolean;
  readonly marketsLeft: number;
  /** Open interest and funding. */
  readonly histories?: { readonly isDone: boolean; readonly seriesLeft: number };
}

export function candlesText({ isDone, marketsLeft }: Backfill): string {
  return isDone ? 'fetched' : `${marketsLeft} markets left`;
}

/** Each venue's candles come first. Until then its series are not counted. */
export function historiesText({ isDone, histories }: Backfill): string {
  if (!histories) return 'not reported';
  if (histories.isDone) return 'fetched';
  if (histories.seriesLeft > 0) return `${histories.seriesLeft} series left`;
  return isDone ? 'not counted yet' : 'wait for the candles';
}

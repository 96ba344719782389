import { HOUR_MS, type PredictionMarket, roundTo } from '@crosstape/core';

const HOURS_DECIMALS = 4;
const SCORE_DECIMALS = 2;

export interface RankedQuestion {
  readonly market: PredictionMarket;
  readonly hoursToClose: number;
  readonly score: number;
}

/** Unique questions that have not ended, by liquidity times the hours left when they were fetched. */
export function rankQuestions(
  markets: readonly PredictionMarket[],
  { fetchedAtMs, nowMs }: { readonly fetchedAtMs: number; readonly nowMs: number },
): readonly RankedQuestion[] {
  const open = new Map<string, RankedQuestion>();
  for (const market of markets) {
    if (market.endMs <= nowMs) continue;
    const hoursToClose = roundTo((market.endMs - fetchedAtMs) / HOUR_MS, HOURS_DECIMALS);
    const score = roundTo(market.liquidityUsd * hoursToClose, SCORE_DECIMALS);
    open.set(market.symbol, { market, hoursToClose, score });
  }
  return [...open.values()].toSorted(
    (a, b) => b.score - a.score || (a.market.symbol < b.market.symbol ? -1 : 1),
  );
}

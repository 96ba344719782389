import type { LatestTopic } from '../../platform/bus.ts';

/** A market whose candles from before the record a caller requested. */
export interface CandleDemand {
  readonly market: string;
}

export const candleDemandTopic: LatestTopic<CandleDemand> = {
  name: 'candle-demand',
  keep: { kind: 'latest' },
  by: 'gateway',
};

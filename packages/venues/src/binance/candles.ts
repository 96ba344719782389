import { klines } from './klines.ts';

/**
 * The weight grows with the rows requested [D]. Trades of the insurance fund and of auto-deleveraging are not among
 * aggregate trades [D]; whether candles include them is not known [K].
 * https://developers.binance.com/docs/derivatives/usds-margined-futures/market-data/rest-api/Kline-Candlestick-Data
 */
export const candles = klines('/fapi/v1/klines', (rows) => {
  if (rows < 100) return 1;
  return rows < 500 ? 2 : 5;
});

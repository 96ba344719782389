import { klines } from '../binance/klines.ts';

/** https://developers.binance.com/docs/binance-spot-api-docs/rest-api/market-data-endpoints#klinecandlestick-data [D] */
export const candles = klines('/api/v3/klines', () => 2);

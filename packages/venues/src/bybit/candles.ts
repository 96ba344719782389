import { klines } from './klines.ts';

export const candles = klines('linear');

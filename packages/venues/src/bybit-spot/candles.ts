import { klines } from '../bybit/klines.ts';

export const candles = klines('spot');

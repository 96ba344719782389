export { candles } from '../okx/candles.ts';

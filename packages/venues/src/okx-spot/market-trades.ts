export { marketTrades } from '../okx/market-trades.ts';

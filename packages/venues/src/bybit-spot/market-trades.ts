import { publicTrades } from '../bybit/public-trades.ts';

/** A request of pairs has at most 10 topics, an answer at most 60 trades [D]. */
export const marketTrades = publicTrades({ name: 'spot', topicsPerFrame: 10, rowsMax: 60 });

import { publicTrades } from './public-trades.ts';

/** A request of contracts may have any number of topics [D]; its id lists them, and one of 14 comes back whole [L]. */
export const marketTrades = publicTrades({ name: 'linear', topicsPerFrame: 20, rowsMax: 1000 });

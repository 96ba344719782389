import { type ReadTrade, sideOf, testedFeed } from './tested-feed.ts';

interface Row {
  readonly e?: string;
  readonly a: number;
  readonly p: string;
  readonly q: string;
  readonly T: number;
  readonly m: boolean;
}

const readRow = ({ a, T, m, p, q }: Row): ReadTrade => ({
  id: String(a),
  ts: T,
  side: sideOf(!m),
  price: p,
  size: q,
});

const shared = {
  symbol: 'BTCUSDT',
  subscribe: { method: 'SUBSCRIBE', params: ['btcusdt@aggTrade'], id: 1 },
  opening: [{ result: null, id: 1 }],
  read: (frame: Row) => (frame.e === 'aggTrade' ? [readRow(frame)] : []),
  readHistory: (body: readonly Row[]) => body.map(readRow),
  isCounted: true,
};
const pageTo = ({ id }: ReadTrade): string => `symbol=BTCUSDT&fromId=${Number(id) - 999}&limit=1000`;

export const binance = testedFeed({
  ...shared,
  venue: 'binance',
  path: '/market/ws',
  history: (newest) => `/fapi/v1/aggTrades?${pageTo(newest)}`,
});

export const binanceSpot = testedFeed({
  ...shared,
  venue: 'binance-spot',
  path: '/ws',
  history: (newest) => `/api/v3/aggTrades?${pageTo(newest)}`,
});

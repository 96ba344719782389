import { type ReadTrade, sideOf, testedFeed } from '../../testing/tested-feed.ts';

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
  isGolden: ({ e }: Row) => e === 'aggTrade',
  isCounted: true,
};
const pageTo = ({ id }: ReadTrade): string => `symbol=BTCUSDT&fromId=${Number(id) - 999}&limit=1000`;

export const binance = testedFeed({
  ...shared,
  venue: 'binance',
  connectorMarket: { symbol: '1000PEPEUSDT' },
  path: '/market/ws',
  golden:
    '{"e":"aggTrade","E":1755487578300,"s":"BTCUSDT","a":5933014,"p":"115309.8","q":"0.100","nq":"0.100","f":100,"l":105,"T":1755487578276,"m":true,"st":1}',
  history: (newest) => `/fapi/v1/aggTrades?${pageTo(newest)}`,
});

export const binanceSpot = testedFeed({
  ...shared,
  venue: 'binance-spot',
  connectorMarket: { symbol: 'PEPEUSDT' },
  path: '/ws',
  golden:
    '{"e":"aggTrade","E":1672515782136,"s":"BTCUSDT","a":12345,"p":"0.00100000","q":"100.00000000","f":100,"l":105,"T":1672515782136,"m":true,"M":true}',
  history: (newest) => `/api/v3/aggTrades?${pageTo(newest)}`,
});

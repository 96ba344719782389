import { type ReadTrade, sideOf, testedFeed } from './tested-feed.ts';

interface Row {
  readonly id: string;
  readonly createdAt: string;
  readonly side: 'BUY' | 'SELL';
  readonly price: string;
  readonly size: string;
}

interface Frame {
  readonly type: string;
  readonly contents?: { readonly trades: readonly Row[] };
}

const readRow = ({ id, createdAt, side, price, size }: Row): ReadTrade => ({
  id,
  ts: Date.parse(createdAt),
  side: sideOf(side === 'BUY'),
  price,
  size,
});

export const dydx = testedFeed({
  venue: 'dydx',
  path: '/v4/ws',
  symbol: 'BTC-USD',
  subscribe: { type: 'subscribe', channel: 'v4_trades', id: 'BTC-USD', batched: false },
  opening: [{ type: 'connected' }, { type: 'subscribed', channel: 'v4_trades', id: 'BTC-USD' }],
  read({ type, contents }: Frame) {
    const rows = (contents?.trades ?? []).map(readRow);
    return type === 'subscribed' ? rows.toReversed() : rows;
  },
  history: ({ ts }) =>
    `/v4/trades/perpetualMarket/BTC-USD?limit=500&createdBeforeOrAt=${new Date(ts).toISOString()}`,
  readHistory: ({ trades }: { readonly trades: readonly Row[] }) => trades.map(readRow).toReversed(),
  isCounted: false,
});

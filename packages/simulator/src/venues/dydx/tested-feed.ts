import { type ReadTrade, sideOf, testedFeed } from '../../testing/tested-feed.ts';

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
  golden:
    '{"type":"channel_data","connection_id":"a","message_id":15897,"id":"BTC-USD","channel":"v4_trades","version":"2.1.0","contents":{"trades":[{"id":"0165e6170000000200000002","size":"0.0001","price":"60392","side":"BUY","createdAt":"2024-08-23T00:00:57.627Z","type":"LIMIT"}]}}',
  isGolden: ({ type }) => type === 'channel_data',
  isCounted: false,
});

import { type ReadTrade, sideOf, testedFeed } from './tested-feed.ts';

interface Row {
  readonly type?: string;
  readonly trade_id: number;
  readonly side: string;
  readonly size: string;
  readonly price: string;
  readonly time: string;
}

/** The side is the maker's. */
const readRow = ({ trade_id: id, side, price, size, time }: Row): ReadTrade => ({
  id: String(id),
  ts: Date.parse(time),
  side: sideOf(side === 'sell'),
  price,
  size,
});

export const coinbase = testedFeed({
  venue: 'coinbase',
  path: '/',
  symbol: 'BTC-USD',
  subscribe: { type: 'subscribe', product_ids: ['BTC-USD'], channels: ['matches'] },
  opening: [{ type: 'last_match' }, { type: 'subscriptions' }],
  read: (frame: Row) => (frame.type === 'match' || frame.type === 'last_match' ? [readRow(frame)] : []),
  history: ({ id }) => `/products/BTC-USD/trades?limit=1000&after=${Number(id) + 1}`,
  readHistory: (body: readonly Row[]) => body.map(readRow).toReversed(),
  isCounted: true,
});

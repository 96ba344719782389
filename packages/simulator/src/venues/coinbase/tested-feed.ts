import { type ReadTrade, sideOf, testedFeed } from '../../testing/tested-feed.ts';

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
  golden:
    '{"type":"match","trade_id":82047307,"maker_order_id":"0f358725-2134-435e-be11-753912a326e0","taker_order_id":"252b7002-87a3-425c-ac73-f5b9e23f3caf","side":"sell","size":"0.00513192","price":"9314.78","product_id":"BTC-USD","sequence":12038915443,"time":"2020-01-31T20:03:41.158814Z"}',
  isGolden: ({ type }) => type === 'match',
  isCounted: true,
});

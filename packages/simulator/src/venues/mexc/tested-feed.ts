import { type ReadTrade, sideOf, testedFeed } from '../../testing/tested-feed.ts';

interface Row {
  readonly p: number;
  readonly v: number;
  readonly T: 1 | 2;
  readonly t: number;
  readonly i?: string;
}

interface Frame {
  readonly channel: string;
  readonly data: readonly Row[];
}

const readRow = ({ i, t, T, p, v }: Row): ReadTrade => ({
  ...(i !== undefined && { id: i }),
  ts: t,
  side: sideOf(T === 1),
  price: String(p),
  size: String(v),
});

export const mexc = testedFeed({
  venue: 'mexc',
  connectorMarket: { symbol: 'PEPE_USDT' },
  path: '/edge',
  symbol: 'BTC_USDT',
  subscribe: { method: 'sub.deal', param: { symbol: 'BTC_USDT' }, gzip: false },
  opening: [{ channel: 'rs.sub.deal', data: 'success' }],
  read: ({ channel, data }: Frame) => (channel === 'push.deal' ? data.map(readRow) : []),
  history: () => '/api/v1/contract/deals/BTC_USDT?limit=100',
  readHistory: ({ data }: { readonly data: readonly Row[] }) => data.map(readRow).toReversed(),
  golden:
    '{"symbol":"BTC_USDT","data":[{"p":114350.4,"v":4,"T":2,"O":3,"M":2,"t":1760368563597,"i":"13064218826"}],"channel":"push.deal","ts":1760368563597}',
  isGolden: ({ channel }) => channel === 'push.deal',
  isCounted: true,
});

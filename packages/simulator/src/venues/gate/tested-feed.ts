import { type ReadTrade, sideOf, testedFeed } from '../../testing/tested-feed.ts';

interface Row {
  readonly id: number;
  readonly size: number;
  readonly create_time_ms: number;
  readonly price: string;
}

interface Frame {
  readonly event: string;
  readonly result: readonly Row[];
}

const readRow = ({ id, size, price, create_time_ms: ts }: Row): ReadTrade => ({
  id: String(id),
  ts,
  side: sideOf(size > 0),
  price,
  size: String(Math.abs(size)),
});

export const gate = testedFeed({
  venue: 'gate',
  connectorMarket: { symbol: 'BTC_USDT' },
  path: '/v4/ws/usdt',
  symbol: 'SOL_USDT',
  subscribe: { time: 1, channel: 'futures.trades', event: 'subscribe', payload: ['SOL_USDT'] },
  opening: [{ channel: 'futures.trades', event: 'subscribe', result: { status: 'success' } }],
  read: ({ event, result }: Frame) => (event === 'update' ? result.map(readRow) : []),
  history: ({ id }) => `/api/v4/futures/usdt/trades?contract=SOL_USDT&limit=1000&last_id=${Number(id) + 1}`,
  readHistory: (body: readonly Row[]) =>
    body
      .map((row) => readRow({ ...row, create_time_ms: Math.round(row.create_time_ms * 1000) }))
      .toReversed(),
  golden:
    '{"time":1545136464,"time_ms":1545136464123,"channel":"futures.trades","event":"update","result":[{"size":-108,"id":27753479,"create_time":1545136464,"create_time_ms":1545136464123,"price":"96.4","contract":"SOL_USDT"}]}',
  isGolden: ({ event }) => event === 'update',
  isCounted: true,
});

import { type ReadTrade, sideOf, testedFeed } from '../../testing/tested-feed.ts';

interface Action {
  readonly action?: string;
}

interface SocketRow {
  readonly i: string;
  readonly p: string;
  readonly v: string;
  readonly S: 'buy' | 'sell';
  readonly T: string;
}

interface PastRow {
  readonly tradeId: string;
  readonly ts: string;
  readonly side: string;
  readonly price: string;
  readonly size: string;
}

const readRow = ({ i, p, v, S, T }: SocketRow): ReadTrade => ({
  id: i,
  ts: Number(T),
  side: S,
  price: p,
  size: v,
});

const readPast = ({ tradeId, ts, side, price, size }: PastRow): ReadTrade => ({
  id: tradeId,
  ts: Number(ts),
  side: sideOf(side.toLowerCase() === 'buy'),
  price,
  size,
});

const HISTORY = '/api/v2/mix/market/fills-history?productType=USDT-FUTURES&symbol=BTCUSDT&limit=1000';

export const bitget = testedFeed({
  venue: 'bitget',
  connectorMarket: { symbol: '1000BONKUSDT' },
  symbol: 'BTCUSDT',
  path: '/v3/ws/public',
  golden:
    '{"action":"update","arg":{"instType":"usdt-futures","topic":"publicTrade","symbol":"BTCUSDT"},"data":[{"i":"1432912488536195072","p":"76671.22","v":"0.001367","S":"sell","T":"1777358880170","L":"1432912488536195073","isRPI":"no"}],"ts":1777358880174}',
  subscribe: {
    op: 'subscribe',
    args: [{ instType: 'usdt-futures', topic: 'publicTrade', symbol: 'BTCUSDT' }],
  },
  opening: [{ event: 'subscribe' }, { action: 'snapshot' }],
  read: ({ data = [] }: Action & { readonly data?: readonly SocketRow[] }) => data.map(readRow).toReversed(),
  history: ({ id = '' }) => `${HISTORY}&idLessThan=${BigInt(id) + 4096n}`,
  readHistory: ({ data }: { readonly data: readonly PastRow[] }) => data.map(readPast).toReversed(),
  isGolden: ({ action }) => action === 'update',
  isCounted: false,
});

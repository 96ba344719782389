import { type ReadTrade, sideOf, testedFeed } from '../../testing/tested-feed.ts';

interface Action {
  readonly action?: string;
}

interface NewRow {
  readonly i: string;
  readonly p: string;
  readonly v: string;
  readonly S: 'buy' | 'sell';
  readonly T: string;
}

interface OldRow {
  readonly tradeId: string;
  readonly ts: string;
  readonly side: string;
  readonly price: string;
  readonly size: string;
}

const readNew = ({ i, p, v, S, T }: NewRow): ReadTrade => ({
  id: i,
  ts: Number(T),
  side: S,
  price: p,
  size: v,
});

const readOld = ({ tradeId, ts, side, price, size }: OldRow): ReadTrade => ({
  id: tradeId,
  ts: Number(ts),
  side: sideOf(side.toLowerCase() === 'buy'),
  price,
  size,
});

const HISTORY = '/api/v2/mix/market/fills-history?productType=USDT-FUTURES&symbol=BTCUSDT&limit=1000';

const shared = {
  venue: 'bitget',
  connectorMarket: { symbol: '1000BONKUSDT' },
  symbol: 'BTCUSDT',
  opening: [{ event: 'subscribe' }, { action: 'snapshot' }],
  history: ({ id = '' }: ReadTrade) => `${HISTORY}&idLessThan=${BigInt(id) + 4096n}`,
  readHistory: ({ data }: { readonly data: readonly OldRow[] }) => data.map(readOld).toReversed(),
  isGolden: ({ action }: Action) => action === 'update',
  isCounted: false,
};

export const bitget = testedFeed({
  ...shared,
  path: '/v3/ws/public',
  golden:
    '{"action":"update","arg":{"instType":"usdt-futures","topic":"publicTrade","symbol":"BTCUSDT"},"data":[{"i":"1432912488536195072","p":"76671.22","v":"0.001367","S":"sell","T":"1777358880170","L":"1432912488536195073","isRPI":"no"}],"ts":1777358880174}',
  subscribe: {
    op: 'subscribe',
    args: [{ instType: 'usdt-futures', topic: 'publicTrade', symbol: 'BTCUSDT' }],
  },
  read: ({ data = [] }: Action & { readonly data?: readonly NewRow[] }) => data.map(readNew).toReversed(),
});

export const bitgetOld = testedFeed({
  ...shared,
  path: '/v2/ws/public',
  golden:
    '{"action":"update","arg":{"instType":"USDT-FUTURES","channel":"trade","instId":"BTCUSDT"},"data":[{"ts":"1701910980366","price":"43854.01","size":"0.0535","side":"buy","tradeId":"1116461060594286593"}],"ts":1701910980730}',
  subscribe: {
    op: 'subscribe',
    args: [{ instType: 'USDT-FUTURES', channel: 'trade', instId: 'BTCUSDT' }],
  },
  read: ({ data = [] }: Action & { readonly data?: readonly OldRow[] }) => data.map(readOld).toReversed(),
});

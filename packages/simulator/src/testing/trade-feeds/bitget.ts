import { type ReadTrade, sideOf, testedFeed } from './tested-feed.ts';

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
  symbol: 'BTCUSDT',
  opening: [{ event: 'subscribe' }, { action: 'snapshot' }],
  history: ({ id = '' }: ReadTrade) => `${HISTORY}&idLessThan=${BigInt(id) + 4096n}`,
  readHistory: ({ data }: { readonly data: readonly OldRow[] }) => data.map(readOld).toReversed(),
  isCounted: false,
};

export const bitget = testedFeed({
  ...shared,
  path: '/v3/ws/public',
  subscribe: {
    op: 'subscribe',
    args: [{ instType: 'usdt-futures', topic: 'publicTrade', symbol: 'BTCUSDT' }],
  },
  read: ({ data = [] }: { readonly data?: readonly NewRow[] }) => data.map(readNew).toReversed(),
});

export const bitgetOld = testedFeed({
  ...shared,
  path: '/v2/ws/public',
  subscribe: {
    op: 'subscribe',
    args: [{ instType: 'USDT-FUTURES', channel: 'trade', instId: 'BTCUSDT' }],
  },
  read: ({ data = [] }: { readonly data?: readonly OldRow[] }) => data.map(readOld).toReversed(),
});

import { type ReadTrade, sideOf, testedFeed } from '../../testing/tested-feed.ts';

interface Frame {
  readonly topic?: string;
  readonly data: readonly {
    readonly T: number;
    readonly S: string;
    readonly v: string;
    readonly p: string;
    readonly i: string;
  }[];
}

interface Body {
  readonly result: {
    readonly list: readonly {
      readonly execId: string;
      readonly time: string;
      readonly side: string;
      readonly price: string;
      readonly size: string;
    }[];
  };
}

const shared = {
  symbol: 'BTCUSDT',
  subscribe: { op: 'subscribe', args: ['publicTrade.BTCUSDT'], req_id: '1' },
  opening: [{ success: true, op: 'subscribe', req_id: '1' }],
  read: ({ topic, data }: Frame): readonly ReadTrade[] =>
    topic === 'publicTrade.BTCUSDT'
      ? data.map(({ i, T, S, p, v }) => ({ id: i, ts: T, side: sideOf(S === 'Buy'), price: p, size: v }))
      : [],
  readHistory: ({ result }: Body): readonly ReadTrade[] =>
    result.list
      .map(({ execId, time, side, price, size }) => ({
        id: execId,
        ts: Number(time),
        side: sideOf(side === 'Buy'),
        price,
        size,
      }))
      .toReversed(),
  isGolden: ({ topic }: Frame) => topic === 'publicTrade.BTCUSDT',
  isCounted: false,
};

export const bybit = testedFeed({
  ...shared,
  venue: 'bybit',
  connectorMarket: { symbol: '1000PEPEUSDT' },
  path: '/v5/public/linear',
  golden:
    '{"topic":"publicTrade.BTCUSDT","type":"snapshot","ts":1672304486868,"data":[{"T":1672304486865,"s":"BTCUSDT","S":"Buy","v":"0.001","p":"16578.50","L":"PlusTick","i":"20f43950-d8dd-5b31-9112-a178eb6023af","BT":false,"RPI":false,"seq":1783284617}]}',
  history: () => '/v5/market/recent-trade?category=linear&symbol=BTCUSDT&limit=1000',
});

export const bybitSpot = testedFeed({
  ...shared,
  venue: 'bybit-spot',
  connectorMarket: { symbol: 'ETHUSDT' },
  path: '/v5/public/spot',
  golden:
    '{"topic":"publicTrade.BTCUSDT","type":"snapshot","ts":1672304486868,"data":[{"T":1672304486865,"s":"BTCUSDT","S":"Buy","v":"0.001","p":"16578.50","i":"2290000000067260558","BT":false,"RPI":false,"seq":1783284617}]}',
  history: () => '/v5/market/recent-trade?category=spot&symbol=BTCUSDT&limit=60',
});

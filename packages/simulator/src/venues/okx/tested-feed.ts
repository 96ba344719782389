import { type ReadTrade, type TestedFeed, testedFeed } from '../../testing/tested-feed.ts';

interface Row {
  readonly tradeId: string;
  readonly ts: string;
  readonly side: 'buy' | 'sell';
  readonly px: string;
  readonly sz: string;
  readonly count?: string;
}

interface Frame {
  readonly event?: string;
  readonly data?: readonly Row[];
}

const readRow = ({ tradeId, ts, side, px, sz, count }: Row): ReadTrade => ({
  id: tradeId,
  ts: Number(ts),
  side,
  price: px,
  size: sz,
  ...(count !== undefined && { count: Number(count) }),
});

const ofInstrument = (venue: string, instId: string, connectorSymbol = instId): TestedFeed =>
  testedFeed({
    venue,
    path: '/ws/v5/public',
    symbol: instId,
    connectorMarket: { symbol: connectorSymbol },
    subscribe: { op: 'subscribe', args: [{ channel: 'trades', instId }] },
    opening: [{ event: 'subscribe', arg: { channel: 'trades', instId } }],
    read: ({ event, data = [] }: Frame) => (event === undefined ? data.map(readRow) : []),
    history: ({ id }) =>
      `/api/v5/market/history-trades?instId=${instId}&type=1&after=${Number(id) + 1}&limit=100`,
    readHistory: ({ data }: { readonly data: readonly Row[] }) => data.map(readRow).toReversed(),
    golden: `{"arg":{"channel":"trades","instId":"${instId}"},"data":[{"instId":"${instId}","tradeId":"130639474","px":"42219.9","sz":"12","side":"buy","ts":"1630048897897","count":"3","source":"0","seqId":1234}]}`,
    isGolden: ({ event }) => event === undefined,
    isCounted: true,
  });

export const okx = ofInstrument('okx', 'BTC-USDT-SWAP', 'PEPE-USDT-SWAP');
export const okxSpot = ofInstrument('okx-spot', 'BTC-USDT');

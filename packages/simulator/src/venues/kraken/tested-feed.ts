import { type ReadTrade, testedFeed } from '../../testing/tested-feed.ts';

interface Row {
  readonly uid: string;
  readonly seq: number;
  readonly time: number;
  readonly side: 'buy' | 'sell';
  readonly price: number;
  readonly qty: number;
}

interface Frame extends Partial<Row> {
  readonly feed?: string;
  readonly trades?: readonly Row[];
}

interface PastRow {
  readonly trade_id: number;
  readonly time: string;
  readonly side: 'buy' | 'sell';
  readonly price: number;
  readonly size: number;
}

const readRow = ({ seq, time, side, price, qty }: Row): ReadTrade => ({
  id: String(seq),
  ts: time,
  side,
  price: String(price),
  size: String(qty),
});

export const kraken = testedFeed({
  venue: 'kraken',
  connectorMarket: { symbol: 'PF_ETHUSD' },
  path: '/ws/v1',
  symbol: 'PF_XBTUSD',
  subscribe: { event: 'subscribe', feed: 'trade', product_ids: ['PF_XBTUSD'] },
  opening: [
    { event: 'info', version: 1 },
    { event: 'subscribed', feed: 'trade', product_ids: ['PF_XBTUSD'] },
    { feed: 'trade_snapshot', product_id: 'PF_XBTUSD' },
  ],
  read(frame: Frame) {
    if (frame.feed === 'trade_snapshot') return (frame.trades ?? []).map(readRow).toReversed();
    return frame.feed === 'trade' && frame.uid !== undefined ? [readRow(frame as Row)] : [];
  },
  history: ({ ts }) =>
    `/derivatives/api/v3/history?symbol=PF_XBTUSD&lastTime=${new Date(ts + 1).toISOString()}`,
  readHistory: ({ history }: { readonly history: readonly PastRow[] }) =>
    history
      .map(({ trade_id: id, time, side, price, size }) => ({
        id: String(id),
        ts: Date.parse(time),
        side,
        price: String(price),
        size: String(size),
      }))
      .toReversed(),
  golden:
    '{"feed":"trade","product_id":"PF_XBTUSD","uid":"05af78ac-a774-478c-a50c-8b9c234e071e","side":"sell","type":"fill","seq":653355,"time":1612266317519,"qty":15000,"price":34969.5}',
  isGolden: ({ feed, uid }) => feed === 'trade' && uid !== undefined,
  isCounted: true,
});

import { sideOf, testedFeed } from '../../testing/tested-feed.ts';

interface Row {
  readonly side: 'buy' | 'sell';
  readonly price: number;
  readonly qty: number;
  readonly trade_id: number;
  readonly timestamp: string;
}

interface Frame {
  readonly channel?: string;
  readonly data?: readonly Row[];
}

type PastRow = readonly [string, string, number, 'b' | 's', 'm' | 'l', string, number];

export const krakenSpot = testedFeed({
  venue: 'kraken-spot',
  connectorMarket: { symbol: 'BTC/USD', restSymbol: 'XXBTZUSD' },
  path: '/v2',
  symbol: 'BTC/USD',
  subscribe: { method: 'subscribe', params: { channel: 'trade', symbol: ['BTC/USD'], snapshot: true } },
  opening: [
    { channel: 'status' },
    { method: 'subscribe', success: true },
    { channel: 'trade', type: 'snapshot' },
  ],
  read: ({ channel, data = [] }: Frame) =>
    channel === 'trade'
      ? data.map((row) => ({
          id: String(row.trade_id),
          ts: Date.parse(row.timestamp),
          side: row.side,
          price: String(row.price),
          size: String(row.qty),
        }))
      : [],
  history: ({ ts }) => `/0/public/Trades?pair=XBTUSD&since=${BigInt(ts - 60_000) * 1_000_000n}&count=1000`,
  readHistory: ({ result }: { readonly result: { readonly XXBTZUSD: readonly PastRow[] } }) =>
    result.XXBTZUSD.map(([price, size, time, side, , , id]) => ({
      id: String(id),
      ts: Math.round(time * 1000),
      side: sideOf(side === 'b'),
      price: String(Number(price)),
      size: String(Number(size)),
    })),
  golden:
    '{"channel":"trade","type":"update","data":[{"symbol":"BTC/USD","side":"sell","price":0.5117,"qty":40.0,"ord_type":"market","trade_id":4665906,"timestamp":"2023-09-25T07:49:37.708706Z"}]}',
  isGolden: ({ channel, data }) => channel === 'trade' && data?.length !== undefined,
  isCounted: true,
});

import { endpoint } from '../../context.ts';
import { depthMeta, depthQuery, pointsOf, readDepth } from '../depth/read-depth.ts';
import { type DepthSide, type DepthSnapshot, midOf, timesTen } from '../depth/recorded-depth.ts';
import { BookHistorySeries } from '../schema.ts';

/** About 700 KB. */
const POINTS_MAX = 300;

export const orderbookHistory = endpoint({
  path: '/orderbook/history',
  summary: 'Recorded order books',
  description:
    'The order book of a market on the primary venue, one snapshot a minute, for the coins with the most open interest and kept for 30 days. Near the mid its levels are narrow, further out wider. A minute that could not be taken is missing, never repeated. To page back, repeat the request with `end` set to `meta.nextEnd` until it is null.',
  query: depthQuery(POINTS_MAX),
  data: BookHistorySeries,
  meta: depthMeta,
  cacheSeconds: 10,
  examples: [
    { summary: 'The newest minutes of Bitcoin', search: 'coin=BTC&limit=5' },
    { summary: 'Every hour', search: 'market=hyperliquid:BTC&interval=1h' },
  ],
  errors: ['not_found', 'upstream_unavailable'],
  async handle(query, context) {
    const { snapshots, series, meta } = await readDepth(context, query);
    return { data: { ...series, points: await pointsOf(snapshots, pointOf) }, meta };
  },
});

function pointOf(snapshot: DepthSnapshot) {
  const { t, stepExponent, bids, asks } = snapshot;
  const narrowest = [...bids.levels, ...asks.levels].reduce(
    (least, { width }) => Math.min(least, width),
    Number.POSITIVE_INFINITY,
  );
  return {
    ts: t,
    mid: timesTen(midOf(snapshot) * 10, stepExponent - 1),
    step: timesTen(narrowest, stepExponent),
    bids: levelsOf(bids, snapshot),
    asks: levelsOf(asks, snapshot),
  };
}

/** Levels in the quote currency and coins, with the width that each adds to the previous one. */
function levelsOf({ levels }: DepthSide, { stepExponent, unitExponent }: DepthSnapshot): number[][] {
  return levels.map(({ price, width, size }, i) => {
    const gap = Math.abs(price - (levels[i - 1]?.price ?? Number.POSITIVE_INFINITY));
    return [
      timesTen(price, stepExponent),
      timesTen(size, unitExponent),
      timesTen(Math.min(width, gap), stepExponent),
    ];
  });
}

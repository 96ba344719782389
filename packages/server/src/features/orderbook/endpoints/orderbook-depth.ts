import { endpoint } from '../../context.ts';
import { depthWithin } from '../depth/depth-within.ts';
import { depthMeta, depthQuery, pointsOf, readDepth } from '../depth/read-depth.ts';
import { midOf, timesTen } from '../depth/recorded-depth.ts';
import { BookDepthSeries } from '../schema.ts';

/** A day of minutes, and more than a month of hours. */
const POINTS_MAX = 1_500;

export const orderbookDepth = endpoint({
  path: '/orderbook/depth',
  summary: 'Order book depth over time',
  description:
    'Bids and asks within 0.25, 0.5, 1 and 2 % of the mid and their imbalance, from the order books of the primary venue that are recorded every minute for the coins with the most open interest. A depth is null where the recorded levels do not reach that far, and a minute that could not be taken is missing, never repeated. To page back, repeat the request with `end` set to `meta.nextEnd` until it is null.',
  query: depthQuery(POINTS_MAX),
  data: BookDepthSeries,
  meta: depthMeta,
  cacheSeconds: 10,
  examples: [
    { summary: 'The newest minutes of Bitcoin', search: 'coin=BTC&limit=60' },
    { summary: 'Every hour', search: 'coin=BTC&interval=1h' },
  ],
  errors: ['not_found', 'upstream_unavailable'],
  async handle(query, context) {
    const { snapshots, series, meta } = await readDepth(context, query);
    const points = await pointsOf(snapshots, (snapshot) => ({
      ts: snapshot.t,
      mid: timesTen(midOf(snapshot) * 10, snapshot.stepExponent - 1),
      within: depthWithin(snapshot).map(({ percent, bids, asks, imbalance }) => ({
        percent,
        bidsUsd: bids,
        asksUsd: asks,
        imbalance,
      })),
    }));
    return { data: { ...series, points }, meta };
  },
});

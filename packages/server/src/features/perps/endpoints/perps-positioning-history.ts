import { roundTo } from '@crosstape/core';
import { Type } from 'typebox';
import { choice, defaulted, venueName } from '../../../http/parameter.ts';
import { Failure } from '../../../platform/errors.ts';
import { endpoint } from '../../context.ts';
import { knownCoin } from '../../markets/known-coin.ts';
import { historyMeta, historyQuery, ledgerSeries, newestPage, rangeOfPage } from '../history-series.ts';
import { PositioningHistorySeries } from '../positioning-history-schema.ts';
import { ratioVenueIds, ratioViews } from '../ratio-views.ts';
import type { LedgerSample } from '../samples/sample-block.ts';

const INTERVAL = '1h';
const VENUE = 'binance';
/** More than any venue prints of the share; as many as most print of the ratio. */
const SHARE_DECIMALS = 6;
const RATIO_DECIMALS = 4;

const listed = (ids: readonly string[]): string => ids.map((id) => `\`${id}\``).join(', ');

export const perpsPositioningHistory = endpoint({
  path: '/perps/positioning/history',
  summary: 'Recorded long/short ratios',
  description: `Long/short ratios of a coin by the hour, from the venues' own histories: \`global\` on ${listed(ratioVenueIds.global)}, \`top\` on ${listed(ratioVenueIds.top)}. Each hour is requested some minutes after its end, and stored for as long as candles are. Ratios of different venues and views count different things and are never averaged. To page back, repeat the request with \`end\` set to \`meta.nextEnd\` until it is null.`,
  query: Type.Object({
    coin: historyQuery.properties.coin,
    venue: defaulted(
      venueName(ratioVenueIds.global, { description: 'Venue whose ratio is returned.', examples: ['okx'] }),
      VENUE,
    ),
    view: defaulted(
      choice(['global', 'top'], {
        description: '`global`: all accounts; `top`: positions of the largest traders.',
        examples: ['top'],
      }),
      'global',
    ),
    interval: defaulted(choice([INTERVAL], { description: 'Time between two points.' }), INTERVAL),
    sinceMs: historyQuery.properties.sinceMs,
    end: historyQuery.properties.end,
    limit: historyQuery.properties.limit,
  }),
  data: PositioningHistorySeries,
  meta: historyMeta,
  cacheSeconds: 60,
  examples: [
    { summary: 'All accounts of Binance', search: 'coin=BTC' },
    { summary: 'The largest traders of OKX', search: 'coin=BTC&venue=okx&view=top' },
  ],
  errors: ['not_found', 'upstream_unavailable'],
  async handle(asked, context) {
    const { venue, view } = asked;
    const { kind, basis } = ratioViews[view];
    if (!ratioVenueIds[view].includes(venue))
      throw new Failure('bad_request', `Parameter \`view\` is ${view}, which ${venue} does not report.`);
    const coin = await knownCoin(context, asked.coin);
    const samples = await context.resources.samples
      .read({ kind, venue, coin }, INTERVAL, rangeOfPage(asked))
      .catch(() => undefined);
    const { page, nextEnd } = newestPage(samples ?? [], asked, ({ t }) => t);
    const series = ledgerSeries(context, INTERVAL, page.at(-1)?.t);
    return {
      data: {
        coin,
        venue,
        view,
        basis,
        points: page.map(pointOf),
        ...series,
        enabled: samples !== undefined,
      },
      meta: { fetchedAt: series.fetchedAt, source: context.label([venue]), nextEnd },
    };
  },
});

function pointOf({ t, value, origin }: LedgerSample) {
  return {
    t,
    longFraction: roundTo(value, SHARE_DECIMALS),
    longShortRatio: value < 1 ? roundTo(value / (1 - value), RATIO_DECIMALS) : null,
    origin,
  };
}

import { type Static, Type } from 'typebox';
import { knownCoin } from '../../markets/known-coin.ts';
import { contractVenueIds, oiHistoryVenues, usdOnlyVenues } from '../../markets/venue-ids.ts';
import { venueName } from '../../../http/parameter.ts';
import {
  historyMeta,
  historyQuery,
  isOfLedger,
  ledgerSeries,
  newestPage,
  rangeOfPage,
  readHistory,
} from '../history-series.ts';
import { OiHistorySeries } from '../schema.ts';
import { type Context, endpoint } from '../../context.ts';

const query = Type.Object({
  ...historyQuery.properties,
  venue: Type.Optional(
    venueName(contractVenueIds, {
      description: `Venue whose open interest is returned from the ledger; ${usdOnlyVenues} report no contracts.`,
      examples: ['binance'],
    }),
  ),
});

export const perpsOiHistory = endpoint({
  path: '/perps/oi/history',
  summary: 'Recorded open interest',
  description: `Open interest of a coin on the primary venue, sampled every 10 minutes on the clock. A sample that could not be taken is missing, never repeated. With \`interval\` or \`venue\`, that of any venue that reports contracts, for years: hours from before the record are the venue's own where it publishes them (${oiHistoryVenues}). To page back, repeat the request with \`end\` set to \`meta.nextEnd\` until it is null.`,
  query,
  data: OiHistorySeries,
  meta: historyMeta,
  cacheSeconds: 60,
  examples: [
    { summary: 'Seven days of Bitcoin', search: 'coin=BTC' },
    { summary: 'Every hour on Binance', search: 'coin=BTC&venue=binance&interval=1h' },
  ],
  errors: ['not_found', 'upstream_unavailable'],
  async handle(asked, context) {
    if (isOfLedger(asked)) return fromLedger(asked, context);
    const { coin, samples, series } = await readHistory(context, asked);
    const venue = context.resources.primaryVenue;
    const points = samples.flatMap(({ t, openInterest: v }) => (v === undefined ? [] : [{ t, v }]));
    return {
      data: { coin, venue, points, ...series },
      meta: { fetchedAt: series.fetchedAt, source: context.label([venue]) },
    };
  },
});

async function fromLedger(asked: Static<typeof query>, context: Context) {
  const { samples: ledger, primaryVenue } = context.resources;
  const { interval = '10m', venue = primaryVenue } = asked;
  const coin = await knownCoin(context, asked.coin);
  const samples = await ledger
    .read({ kind: 'openInterest', venue, coin }, interval, rangeOfPage(asked))
    .catch(() => undefined);
  const { page, nextEnd } = newestPage(samples ?? [], asked, ({ t }) => t);
  const points = page.map(({ t, value: v, origin }) => ({ t, v, origin }));
  const series = ledgerSeries(context, interval, points.at(-1)?.t);
  return {
    data: { coin, venue, points, ...series, enabled: samples !== undefined },
    meta: { fetchedAt: series.fetchedAt, source: context.label([venue]), nextEnd },
  };
}

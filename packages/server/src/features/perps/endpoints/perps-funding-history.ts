import { type Static, Type } from 'typebox';
import { historyVenues } from '../history-samples.ts';
import { knownCoin } from '../../markets/known-coin.ts';
import { perpConventionOf, perpVenueIds } from '../../markets/venue-ids.ts';
import { venueName } from '../../../http/parameter.ts';
import type { HistorySample } from '../history-table.ts';
import { sampleLevels } from '../samples/sample-ledger.ts';
import {
  historyMeta,
  historyQuery,
  isOfLedger,
  ledgerSeries,
  newestPage,
  rangeOfPage,
  readHistory,
} from '../history-series.ts';
import { nextTurn } from '../../../platform/next-turn.ts';
import { FundingHistorySeries } from '../schema.ts';
import { type Context, endpoint } from '../../context.ts';

const EVERY_VENUE = 'all';

const query = Type.Object({
  ...historyQuery.properties,
  venue: Type.Optional(
    venueName([...perpVenueIds, EVERY_VENUE], {
      description: 'Returns the rates of this venue from the ledger; `all`: of every venue.',
      examples: ['bybit'],
    }),
  ),
});

export const perpsFundingHistory = endpoint({
  path: '/perps/funding/history',
  summary: 'Recorded funding rates',
  description:
    "Funding rates of a coin on Hyperliquid, Binance, Bybit and OKX, sampled every 10 minutes on the clock, in the units of `/perps/funding`. `nativePeriodHours` is the venue's own period at that time. With `interval` or `venue`, the response comes from the ledger and can span years; `venue` selects any one venue, or `all` of them. Hours before recording began have the rates that were paid, if the venue publishes them. To page back, repeat the request with `end` set to `meta.nextEnd` until it is null.",
  query,
  data: FundingHistorySeries,
  meta: historyMeta,
  cacheSeconds: 60,
  examples: [
    { summary: 'Seven days of Bitcoin', search: 'coin=BTC' },
    { summary: 'Every hour on Bybit', search: 'coin=BTC&venue=bybit&interval=1h' },
  ],
  errors: ['not_found', 'upstream_unavailable'],
  async handle(asked, context) {
    if (isOfLedger(asked)) return fromLedger(asked, context);
    const { coin, samples, series } = await readHistory(context, asked);
    const points = samples.filter(({ funding }) => Object.keys(funding).length > 0).map(pointOf);
    return {
      data: { coin, points, ...series, periodHours: periodHoursOf(historyVenues) },
      meta: { fetchedAt: series.fetchedAt, source: context.label(historyVenues) },
    };
  },
});

/** The venues' rates at one time. */
interface Point {
  ts: number;
  byVenue: Record<string, number>;
  nativePeriodHours: Record<string, number>;
  origin?: Record<string, 'recorded' | 'venue'>;
}

async function fromLedger(asked: Static<typeof query>, context: Context) {
  const { interval = '10m', venue } = asked;
  const venues = venue === undefined ? historyVenues : venue === EVERY_VENUE ? perpVenueIds : [venue];
  const coin = await knownCoin(context, asked.coin);
  const points = new Map<number, Required<Point>>();
  for (const point of await unfolded(context, coin, asked)) points.set(point.ts, point);
  let enabled = true;
  for (const id of venues) {
    const series = { kind: 'funding', venue: id, coin } as const;
    const samples = await context.resources.samples
      .read(series, interval, rangeOfPage(asked))
      .catch(() => undefined);
    await nextTurn(context.caller);
    enabled &&= samples !== undefined;
    for (const { t, value, periodHours, origin } of samples ?? []) {
      const point = points.get(t) ?? { ts: t, byVenue: {}, nativePeriodHours: {}, origin: {} };
      point.byVenue[id] = value;
      point.nativePeriodHours[id] = periodHours;
      point.origin[id] = origin;
      points.set(t, point);
    }
  }
  const sorted = [...points.values()].toSorted((a, b) => a.ts - b.ts);
  const { page, nextEnd } = newestPage(sorted, asked, ({ ts }) => ts);
  const series = ledgerSeries(context, interval, page.at(-1)?.ts);
  return {
    data: { coin, points: page, ...series, enabled, periodHours: periodHoursOf(venues) },
    meta: { fetchedAt: series.fetchedAt, source: context.label(venues), nextEnd },
  };
}

/** On a first start: the samples of the shorter histories that are not in the ledger yet, of its times and venues. */
async function unfolded(
  { resources: { samples, histories } }: Context,
  coin: string,
  { interval = '10m', venue, sinceMs = 0, end = Number.POSITIVE_INFINITY }: Static<typeof query>,
): Promise<readonly Required<Point>[]> {
  if (await samples.hasFolded().catch(() => true)) return [];
  const { stepMs } = sampleLevels[interval];
  const isAsked = (id: string): boolean => venue === undefined || venue === EVERY_VENUE || venue === id;
  const short = await histories.samples(coin, sinceMs).catch(() => []);
  return short.flatMap((sample) => {
    const { t } = sample;
    const rates = Object.entries(sample.funding).filter(([id]) => isAsked(id));
    if (t % stepMs !== 0 || t >= end || rates.length === 0) return [];
    const origin = Object.fromEntries(rates.map(([id]) => [id, 'recorded' as const]));
    return [{ ...pointOf({ ...sample, funding: Object.fromEntries(rates) }), origin }];
  });
}

function periodHoursOf(venues: readonly string[]): Record<string, number> {
  return Object.fromEntries(venues.map((venue) => [venue, perpConventionOf(venue).fundingPeriodHours]));
}

function pointOf({ t, funding }: HistorySample): Point {
  const byVenue: Record<string, number> = {};
  const nativePeriodHours: Record<string, number> = {};
  for (const [venue, { rate, nativePeriodHours: hours }] of Object.entries(funding)) {
    byVenue[venue] = rate;
    nativePeriodHours[venue] = hours;
  }
  return { ts: t, byVenue, nativePeriodHours };
}

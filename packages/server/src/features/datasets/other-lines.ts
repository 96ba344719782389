import type { Liquidation } from '@crosstape/core';
import { Failure } from '../../platform/errors.ts';
import type { Context } from '../context.ts';
import { dateOf } from '../lake/lake-key.ts';
import { perpConventionOf } from '../markets/venue-ids.ts';
import type { DatasetName } from './datasets-page.ts';
import { TRADES_HEAD } from './tardis-csv.ts';
import { symbolInFile } from './tardis-names.ts';

/** The header line of `derivative_ticker`. */
const DERIVATIVE_HEAD =
  'exchange,symbol,timestamp,local_timestamp,funding_timestamp,funding_rate,predicted_funding_rate,open_interest,last_price,index_price,mark_price\n';
const EVENTS_PER_PAGE = 5_000;
/** More than any venue liquidates of one contract in a day. */
const EVENTS_MAX = 500_000;

/** A day of a venue's liquidations of a contract; `side` is that of the forced order. */
export async function liquidationLines(context: Context, name: DatasetName): Promise<string> {
  const { exchange, prefix, symbol, fromTs, toTs } = name;
  const found: Liquidation[] = [];
  for (let end: number | undefined = toTs; end !== undefined && found.length < EVENTS_MAX; ) {
    const page: Awaited<ReturnType<typeof context.resources.liquidationEvents.newest>> =
      await context.resources.liquidationEvents.newest({
        fromMs: fromTs,
        toMs: end,
        venue: prefix,
        limit: EVENTS_PER_PAGE,
      });
    found.push(...page.events.filter(({ coin, symbol: own = coin }) => symbolInFile(own) === symbol));
    end = page.nextEndMs;
    // The store may answer without a turn of the event loop, and a day has many pages.
    await new Promise(setImmediate);
  }
  if (found.length === 0) throw none('liquidation', name);
  const lines = found.toReversed().map(({ coin, symbol: own = coin, ts, id = '', side, price, size }) => {
    const time = `${ts}000`;
    return `${exchange},${own},${time},${time},${id},${side},${price},${size}\n`;
  });
  return TRADES_HEAD + lines.join('');
}

/** Funding and open interest of a coin of the primary venue, every ten minutes; missing samples are empty. */
export async function derivativeLines(context: Context, name: DatasetName): Promise<string> {
  const { exchange, prefix, symbol, fromTs, toTs } = name;
  const { histories, primaryVenue, markets } = context.resources;
  const coins = prefix === primaryVenue ? ((await markets?.primary.ticks.coins()) ?? []) : [];
  const coin = coins.find((one) => symbolInFile(one) === symbol);
  if (coin === undefined) throw none('sample', name);
  const samples = (await histories.samples(coin, fromTs)).filter(({ t }) => t < toTs);
  if (samples.length === 0) throw none('sample', name);
  const { fundingPeriodHours } = perpConventionOf(primaryVenue);
  const lines = samples.map(({ t, openInterest = '', funding }) => {
    const own = funding[primaryVenue];
    // As the venue states it: for its own period.
    const rate = own ? (own.rate / fundingPeriodHours) * own.nativePeriodHours : '';
    return `${exchange},${coin},${t}000,${t}000,,${rate},,${openInterest},,,\n`;
  });
  return DERIVATIVE_HEAD + lines.join('');
}

function none(what: string, { exchange, symbol, fromTs }: DatasetName): Failure {
  return new Failure('not_found', `No ${what} of ${symbol} on ${exchange} is recorded on ${dateOf(fromTs)}.`);
}

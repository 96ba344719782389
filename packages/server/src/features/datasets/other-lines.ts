import type { Liquidation } from '@crosstape/core';
import { Failure } from '../../platform/errors.ts';
import { nextTurn } from '../../platform/next-turn.ts';
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

/**
 * A day of a venue's liquidations of a contract, in parts, oldest first; `side` is that of the forced order. Each page
 * becomes text as it is read, so that a large day does not block other requests and takes little memory.
 */
export async function liquidationLines(
  context: Context,
  name: DatasetName,
  eventsMax = EVENTS_MAX,
): Promise<readonly Buffer[]> {
  const { exchange, prefix, symbol, fromTs, toTs } = name;
  const parts: Buffer[] = [];
  let events = 0;
  for (let end: number | undefined = toTs; end !== undefined; ) {
    const page: Awaited<ReturnType<typeof context.resources.liquidationEvents.newest>> =
      await context.resources.liquidationEvents.newest({
        fromMs: fromTs,
        toMs: end,
        venue: prefix,
        limit: EVENTS_PER_PAGE,
        caller: context.caller,
      });
    const found = page.events.filter(({ coin, symbol: own = coin }) => symbolInFile(own) === symbol);
    events += found.length;
    if (events > eventsMax)
      throw new Failure('too_large', `${symbol} has more than ${eventsMax} liquidations on that day.`);
    if (found.length > 0) parts.push(Buffer.from(found.toReversed().map(lineOf(exchange)).join('')));
    end = page.nextEndMs;
    // The store may answer without a turn of the event loop, and a day has many pages.
    await nextTurn(context.caller);
  }
  if (parts.length === 0) throw none('liquidation', name);
  return [Buffer.from(TRADES_HEAD), ...parts.toReversed()];
}

function lineOf(exchange: string): (liquidation: Liquidation) => string {
  return ({ coin, symbol = coin, ts, id = '', side, price, size }) =>
    `${exchange},${symbol},${ts}000,${ts}000,${id},${side},${price},${size}\n`;
}

/** Funding and open interest of a coin of the primary venue, every ten minutes; missing samples are empty. */
export async function derivativeLines(context: Context, name: DatasetName): Promise<readonly Buffer[]> {
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
  return [Buffer.from(DERIVATIVE_HEAD + lines.join(''))];
}

function none(what: string, { exchange, symbol, fromTs }: DatasetName): Failure {
  return new Failure('not_found', `No ${what} of ${symbol} on ${exchange} is recorded on ${dateOf(fromTs)}.`);
}

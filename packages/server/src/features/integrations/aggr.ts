import { candleIntervals, candleIntervalsMs, type CandleRow } from '@crosstape/core';
import type { Page } from '../../http/route.ts';
import { Failure, failureCodes } from '../../platform/errors.ts';
import { nextTurn } from '../../platform/next-turn.ts';
import type { RestOptions } from '../mcp/rest.ts';
import { type ListedMarket, listMarkets } from './market.ts';
import {
  integrationPage,
  type IntegrationQuery,
  type IntegrationVisit,
  inHistoryTurn,
  nowherePages,
  readCandlePages,
} from './integration-page.ts';

/** aggr's names of venues, where they are not ours in upper case. */
const venueNames: Readonly<Record<string, string>> = {
  'binance perp': 'BINANCE_FUTURES',
  'okx perp': 'OKEX',
  'okx spot': 'OKEX',
  'gate perp': 'GATEIO',
};
/** Venues whose symbols aggr writes in lower case. */
const lowerCased: ReadonlySet<string> = new Set(['binance']);
const BARS_MAX = 10_000;
const TOTAL_BARS_MAX = 100_000;
/** Rows printed before yielding to the event loop. */
const ROWS_PER_TURN = 2_000;
const columns = {
  time: 0,
  cbuy: 1,
  close: 2,
  csell: 3,
  high: 4,
  lbuy: 5,
  low: 6,
  lsell: 7,
  market: 8,
  open: 9,
  vbuy: 10,
  vsell: 11,
} as const;
type Row = (string | number | null)[];

/** History for aggr at `/aggr`: the base address of its front end. */
export function aggrPages(options: RestOptions): readonly Page[] {
  const pages = [
    integrationPage(options, {
      path: '/aggr/products',
      handle: async ({ context }) => (await listMarkets(context)).map(aggrName),
      failed,
    }),
    integrationPage(options, {
      path: '/aggr/historical/:from/:to/:timeframe/:markets',
      contentType: 'application/json; charset=utf-8',
      cost: barsCost,
      handle: readBars,
      failed,
    }),
  ];
  return [...pages, ...nowherePages(options, '/aggr', { pages, bodyOf: (failure) => failed(failure).body })];
}

function failed({ code, message }: Failure) {
  return { status: failureCodes[code].status, body: { error: message } };
}

/** `BINANCE_FUTURES:btcusdt`, `BYBIT:BTCUSDT-SPOT`, `HYPERLIQUID:BTC`. */
export function aggrName({ venue, kind, symbol }: Pick<ListedMarket, 'venue' | 'kind' | 'symbol'>): string {
  const name = venueNames[`${venue} ${kind}`] ?? venue.toUpperCase();
  const own = lowerCased.has(venue) ? symbol.toLowerCase() : symbol;
  return `${name}:${own}${venue === 'bybit' && kind === 'spot' ? '-SPOT' : ''}`;
}

/** One request per 10,000 bars, the limit of a request for candles. */
function barsCost({ parts }: IntegrationQuery): number {
  const [from, to, timeframe, markets = ''] = parts.slice(2);
  const bars = ((Number(to) - Number(from)) / Number(timeframe)) * markets.split('+').length;
  // Invalid numbers are refused later.
  return bars > 0 ? Math.ceil(Math.min(bars, TOTAL_BARS_MAX) / BARS_MAX) : 1;
}

/** The bars of several markets by time, as text. */
export async function readBars({ parts, ...visit }: Omit<IntegrationVisit, 'params'>) {
  const { context } = visit;
  const [from, to, timeframe] = parts.slice(2, 5).map(readMs) as [number, number, number];
  if (from > to) throw new Failure('bad_request', 'from > to');
  const interval = candleIntervals.find((one) => candleIntervalsMs[one] === timeframe);
  if (!interval) {
    const known = Object.values(candleIntervalsMs).join(', ');
    throw new Failure('bad_request', `missing interval: the timeframe must be one of ${known} (ms)`);
  }
  const names = new Set((parts[5] ?? '').split('+').map((name) => name.toLowerCase()));
  const markets = (await listMarkets(context)).filter((market) => names.has(aggrName(market).toLowerCase()));
  const bars = Math.ceil((to - from) / timeframe);
  if (bars > BARS_MAX || bars * markets.length > TOTAL_BARS_MAX)
    throw new Failure('bad_request', 'too many bars');
  const results = await inHistoryTurn(context, async () => {
    const lists: Row[][] = [];
    for (const market of markets) {
      if (from === to) break;
      const query = { market: market.id, interval, start: from, end: to };
      const rows = await readCandlePages(visit, query, BARS_MAX);
      const name = aggrName(market);
      lists.push(rows.map((row) => pointOf(row, name)));
      await nextTurn(context.caller);
    }
    return printByTime(lists, context.caller);
  });
  if (results === '') throw new Failure('not_found', 'no results');
  const head = JSON.stringify({ format: 'point', columns }).slice(0, -1);
  return `${head},"results":[${results}]}`;
}

/** Merges lists of rows, each oldest first, by time. Yields to the event loop in between; `caller` is whose turns it takes. */
export async function printByTime(lists: readonly (readonly Row[])[], caller: string): Promise<string> {
  const next = lists.map(() => 0);
  const timeOf = (list: number): number => Number(lists[list]![next[list]!]?.[columns.time] ?? Infinity);
  const texts: string[] = [];
  for (let rows: Row[] = []; ; ) {
    const time = Math.min(...lists.map((_, list) => timeOf(list)));
    for (const [list, own] of lists.entries())
      while (timeOf(list) === time && time !== Infinity) rows.push(own[next[list]!++]!);
    if (time !== Infinity && rows.length < ROWS_PER_TURN) continue;
    if (rows.length > 0) texts.push(JSON.stringify(rows).slice(1, -1));
    if (time === Infinity) return texts.join(',');
    rows = [];
    await nextTurn(caller);
  }
}

/** The notional is split by the share of the coins that takers bought; both sides sum up to it. */
function pointOf(row: CandleRow, market: string): Row {
  const { ts, open, high, low, close, volume, buyVolume, notionalUsd, trades, buyTrades } = row;
  const bought =
    notionalUsd === undefined || buyVolume === undefined || volume === 0
      ? null
      : rounded((notionalUsd * buyVolume) / volume);
  const sold = bought === null || notionalUsd === undefined ? null : rounded(notionalUsd - bought);
  const sells = trades === undefined || buyTrades === undefined ? null : trades - buyTrades;
  const liquidated = { buy: row.liqShortUsd, sell: row.liqLongUsd };
  return [
    ts / 1_000,
    buyTrades ?? null,
    close,
    sells,
    high,
    liquidated.buy,
    low,
    liquidated.sell,
    market,
    open,
    bought,
    sold,
  ];
}

function rounded(value: number): number {
  return Number(value.toPrecision(15));
}

function readMs(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new Failure('bad_request', `${text} is not a number of milliseconds`);
  return Number(text);
}

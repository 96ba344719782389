import { unitsOf } from '@crosstape/core';
import { Failure } from '../../platform/errors.ts';
import { coverageRows } from '../market-tape/coverage-rows.ts';
import { dateOf } from '../lake/lake-key.ts';
import { type LakeMarket, lakeMarkets } from '../lake/lake-markets.ts';
import type { TapeReader } from '../tape/tape-reader.ts';
import type { Context } from '../context.ts';
import type { DatasetName } from './datasets-page.ts';
import { isClockAhead } from '../tape/is-clock-ahead.ts';
import { isHistoryGrowing } from '../tape/is-history-growing.ts';
import { printTardisTask } from './tardis-csv.ts';
import { symbolInFile } from './tardis-names.ts';

/** Chunks printed at a time. Members are split by chunks, so that the same day gives the same bytes. */
const PAGE_CHUNKS = 8;
const CHUNKS_MAX = 100_000;
const RETRY_AFTER_SECONDS = 5;

/** A complete day of a market's trades. */
export interface TradesFile {
  readonly name: DatasetName;
  readonly market: LakeMarket;
  readonly tape: TapeReader;
  /** Differs when the trades do. */
  readonly version: string;
}

/** The market of a name, with a complete tape on that day. */
export async function findTrades(context: Context, name: DatasetName): Promise<TradesFile> {
  const { markets: reader, primaryVenue } = context.resources;
  const { exchange, prefix, symbol, fromTs, toTs } = name;
  const date = dateOf(fromTs);
  const all = reader ? await lakeMarkets(reader, primaryVenue) : [];
  const market = all.find((one) => one.venue === prefix && symbolInFile(one.symbol) === symbol);
  if (!market) throw new Failure('not_found', `No market ${symbol} of ${exchange} is recorded.`);
  if (isHistoryGrowing(context.resources.bus, market.venue === primaryVenue ? 'primary' : 'any'))
    throw new Failure('overloaded', 'The first-run history is being created.', {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  if (isClockAhead(context.resources.bus))
    throw new Failure('overloaded', 'The clock of this machine is wrong.', {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  const chunks = await market.ticks.names(market.symbol, fromTs, toTs, CHUNKS_MAX);
  const open = await market.ticks.openChunkKey(market.symbol);
  const rows = await coverageRows({ ...market, coin: market.symbol }, fromTs, toTs);
  const gap = rows.find(({ state }) => state !== 'complete' && state !== 'refilled');
  if (rows.length === 0 || gap) {
    const reason = gap?.reason ?? 'it is before the record begins';
    throw new Failure('not_found', `${date} of ${symbol} is not complete: ${reason}. See /coverage.`);
  }
  const version = JSON.stringify([exchange, chunks, open && (open[1] as number) < toTs ? open : null]);
  const tape = market.secondary?.tape ?? context.resources.tape;
  return { name, market, tape, version };
}

/** The file as gzip members, page by page as the client reads. */
export async function* tradeMembers(
  context: Context,
  { name, market, tape }: TradesFile,
): AsyncGenerator<Uint8Array> {
  const { exchange, fromTs, toTs } = name;
  const { symbol, secondary } = market;
  const unit = secondary?.market;
  for (let start: number | undefined = fromTs, isFirst = true; start !== undefined; isFirst = false) {
    const page = await tape.page({
      coin: symbol,
      fromTs: start,
      toTs,
      chunksMax: PAGE_CHUNKS,
      withIds: true,
    });
    yield await context.work(printTardisTask, {
      exchange,
      symbol,
      isFirst,
      chunks: page.chunks.map(({ data, ids = new Uint8Array() }) => ({ data, ids })),
      fromTs: start,
      toTs,
      ...(unit && { unit: unitsOf(unit) }),
    });
    start = page.nextStart;
  }
}

import { createHash } from 'node:crypto';
import { type Clock, DAY_MS } from '@crosstape/core';
import { wasSetBack } from '../../platform/set-back.ts';
import { marketKey } from '../../store/market-key.ts';
import type { RepairedTable } from '../audit/repaired-table.ts';
import type { MarketReader } from '../market-tape/market-reader.ts';
import { startOfDate } from './lake-key.ts';
import { type LakeMarket, lakeMarketOf, tradesIn } from './lake-markets.ts';
import { LATE_MAX_MS } from './repaired-file.ts';

/** How long a day's figures are reused after a read. */
const READ_EVERY_MS = 10 * 60_000;
/** Remembered versions: of a month of more markets than are recorded by default. */
const DAYS_MAX = 10_000;

/** The source data of the files of a market's day. */
export interface MarketDay {
  readonly market: LakeMarket;
  /** Recorded trades. */
  readonly trades: number;
  /** Trades that the audit recovered. */
  readonly repaired: number;
  /** Differs when the recorded trades, the gaps or the repaired trades do. */
  readonly version: string;
}

interface ReadVersion {
  readonly atMs: number;
  readonly version: Promise<string | undefined>;
}

export interface MarketDaysOptions {
  readonly clock: Clock;
  readonly markets: MarketReader;
  readonly primaryVenue: string;
  readonly repairs: Pick<RepairedTable, 'identities'>;
}

/** Reads what days of markets have, and remembers their versions for requests that follow each other. */
export class MarketDays {
  readonly #options: MarketDaysOptions;
  /** The one that was read longest ago first. */
  readonly #read = new Map<string, ReadVersion>();

  constructor(options: MarketDaysOptions) {
    this.#options = options;
  }

  /** A day as it is now. */
  read(market: LakeMarket, date: string): Promise<MarketDay> {
    const day = readDay(market, date, this.#options.repairs);
    this.#remember(
      `${market.id} ${date}`,
      day.then(({ version }) => version),
    );
    return day;
  }

  /** The version of a day as it was at most ten minutes ago; `undefined` if the market has no record. */
  recentVersion(id: string, date: string): Promise<string | undefined> {
    const { clock, markets, primaryVenue, repairs } = this.#options;
    const name = `${id} ${date}`;
    const known = this.#read.get(name);
    const nowMs = clock.now();
    if (known && nowMs < known.atMs + READ_EVERY_MS && !wasSetBack(known.atMs, nowMs)) return known.version;
    const find = async (): Promise<string | undefined> => {
      const market = await lakeMarketOf(markets, primaryVenue, id);
      return market && (await readDay(market, date, repairs)).version;
    };
    const version = find();
    this.#remember(name, version);
    return version;
  }

  #remember(name: string, version: ReadVersion['version']): void {
    const one = { atMs: this.#options.clock.now(), version };
    this.#read.delete(name);
    this.#read.set(name, one);
    for (const oldest of this.#read.keys()) {
      if (this.#read.size <= DAYS_MAX) break;
      this.#read.delete(oldest);
    }
    // One that could not be read is read again.
    version.catch(() => {
      if (this.#read.get(name) === one) this.#read.delete(name);
    });
  }
}

async function readDay(
  market: LakeMarket,
  date: string,
  repairs: MarketDaysOptions['repairs'],
): Promise<MarketDay> {
  const { venue, symbol, coverage } = market;
  const from = startOfDate(date);
  const to = from + DAY_MS;
  const trades = await tradesIn(market, from, to);
  const hash = createHash('sha256').update(JSON.stringify([trades, await coverage.gaps(symbol, from, to)]));
  let repaired = 0;
  for await (const page of repairs.identities(marketKey(venue, symbol), from, to)) {
    repaired += page.length;
    hash.update(`\n${page.join('\n')}`);
  }
  // Repaired trades that are on the tape after the day are left out of its files, too.
  if (repaired > 0) hash.update(`\n${await tradesIn(market, to, to + LATE_MAX_MS)}`);
  return { market, trades, repaired, version: hash.digest('hex').slice(0, 16) };
}

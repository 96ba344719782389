import type {
  AuditState,
  Book,
  FailingSource,
  FundingChange,
  ConnectedSpan,
  HourAudit,
  Liquidation,
  Market,
  Print,
  SourceHealth,
  SpotTrade,
  TableName,
  Tables,
  Trade,
} from '@crosstape/core';
import type { LatestTopic, LogTopic } from './platform/bus.ts';

/** A resume must be possible for at least ten minutes; the rest is for clients that come late. */
const RESUME_KEEP_MS = 12 * 60_000;
/** A busy log of what is recorded keeps no more than this; a resume reads what is older from the tape. */
const BUSY_KEEP_MS = 60_000;
/** Per coin: busy at one trade in three seconds. */
const BUSY_TRADES = 256;
/** Of all coins: busy at 91 taker orders a second. */
const BUSY_PRINTS = 65_536;
/** Per coin: 1,456 trades a second over the whole window, in about 30 MB. */
const TRADE_LOG_ENTRIES_MAX = 1_048_576;
/** Per coin: 91 trades a second over the whole window. */
const SPOT_TRADE_LOG_ENTRIES_MAX = 65_536;
const GAP_LOG_ENTRIES_MAX = 1_024;
/** Of all coins: 1,456 taker orders a second. */
const PRINT_LOG_ENTRIES_MAX = 1_048_576;
/** Of all markets: 91 a second over the whole window. */
const VENUE_PRINT_LOG_ENTRIES_MAX = 65_536;
const FUNDING_LOG_ENTRIES_MAX = 65_536;
const LIQUIDATION_LOG_ENTRIES_MAX = 65_536;
const AUDIT_LOG_ENTRIES_MAX = 4_096;

/** A whole table of a venue as last fetched. */
export interface Snapshot<Row> {
  readonly venue: string;
  /** The publisher, where that is not the venue. */
  readonly label?: string;
  readonly rows: readonly Row[];
  /** When its newest row was received, less the time that an HTTP cache had held it. */
  readonly fetchedAtMs: number;
  /** When its source last confirmed it, where that is later. */
  readonly checkedAtMs?: number;
  /** Cadence of the poll behind it. */
  readonly everyMs: number;
  /** How old it may be before it is stale, where that is not three polls. */
  readonly freshMs?: number | undefined;
  /** When each of the rows was fetched, in their order; absent when that was at once. */
  readonly rowsAtMs?: readonly number[];
  /** The last pages of its source did not come: rows are missing. */
  readonly isPartial?: boolean;
  /** Of a table with a row for each contract: those that the venue lists and that have none. */
  readonly missing?: readonly { readonly coin: string; readonly symbol: string }[];
  /** Of a table that is requested key by key: the keys under which the venue has nothing. */
  readonly absent?: readonly string[];
}

/** The time at which its source last confirmed a table. */
export function asOfMs({
  fetchedAtMs,
  checkedAtMs = fetchedAtMs,
}: Pick<Snapshot<unknown>, 'fetchedAtMs' | 'checkedAtMs'>): number {
  return checkedAtMs;
}

/** When the row at a place of a table was fetched. */
export function rowAtMs({ rowsAtMs, fetchedAtMs }: Snapshot<unknown>, i: number): number {
  return rowsAtMs?.[i] ?? fetchedAtMs;
}

/** Polls that may fail before a value counts as stale, where its source declares no limit of its own. */
const STALE_POLLS = 3;

/** How old a value may be before it is stale. */
export function freshMsOf({ everyMs, freshMs }: Pick<Snapshot<unknown>, 'everyMs' | 'freshMs'>): number {
  return freshMs ?? STALE_POLLS * everyMs;
}

/** A last good value is served for this many times the larger of cache time and poll interval, and at least 10 minutes. */
const LAST_GOOD_FACTOR = 10;
const LAST_GOOD_MIN_MS = 10 * 60_000;

/** How long a last good value is served. */
export function lastGoodMsOf(everyMs: number, cacheMs = 0): number {
  return Math.max(LAST_GOOD_MIN_MS, LAST_GOOD_FACTOR * Math.max(cacheMs, everyMs));
}

/** A request for a resource that is polled on demand. */
export interface Demand {
  readonly venue: string;
  readonly table: TableName;
  /** For a table that is requested key by key: the keys. */
  readonly keys?: readonly string[];
  /** It is fetched once; otherwise it is kept fresh for a while. */
  readonly isOnce?: boolean;
}

/** Coins that are followed on a feed that is subscribed to on demand. Republished periodically while followed. */
export interface Following {
  readonly venue: string;
  readonly feed: string;
  readonly coins: readonly string[];
}

/** Whether the tape can be written. */
export interface RecorderHealth {
  readonly status: 'ok' | 'failing';
  /** Trades that wait in memory. */
  readonly unwritten: number;
  /** Trades dropped because too many waited; the ledger of gaps says when. */
  readonly lost: number;
  /** Trades received before this time are written; absent before the first write. */
  readonly writtenToMs?: number;
  /** While failing: what the store says, and since when. */
  readonly error?: string;
  readonly sinceMs?: number;
}

const latest = { kind: 'latest' } as const;

/** The newest whole table of a venue. */
export function snapshotTopic<Name extends TableName>(
  venue: string,
  table: Name,
): LatestTopic<Snapshot<Tables[Name]>> {
  return { name: `snapshot:${venue}:${table}`, keep: latest };
}

/** Status text of a source that has neither answered nor failed: most have not been requested. */
export const NO_ANSWER_YET = 'No answer yet.';

/** A source that has not been requested yet is not failing. */
export function isIdle({ status, error }: Pick<SourceHealth, 'status' | 'error'>): boolean {
  return status === 'down' && error === NO_ANSWER_YET;
}

/** How all sources of a venue are doing. */
export function healthTopic(venue: string): LatestTopic<readonly SourceHealth[]> {
  return { name: `health:${venue}`, keep: latest };
}

export const recorderHealthTopic: LatestTopic<RecorderHealth> = { name: 'recorder-health', keep: latest };

/** Memory of the ingest thread, in bytes, as `process.memoryUsage()` reports it there. */
export type ThreadMemory = Pick<NodeJS.MemoryUsage, 'heapUsed' | 'heapTotal' | 'external' | 'arrayBuffers'>;

export const ingestMemoryTopic: LatestTopic<ThreadMemory> = { name: 'ingest-memory', keep: latest };

/** A market of a secondary venue that is recorded now. */
export interface RecordedMarket extends Market {
  /** Id of the publisher that lists it; the health of its feed is published under it. */
  readonly publisher: string;
  /** Whether its trades are numbered without gaps. */
  readonly isCounted: boolean;
  /** How fills are joined to taker orders: by the venue's id of the order, or else by time and side. */
  readonly grouping?: 'order' | 'time';
}

export const recordedMarketsTopic: LatestTopic<readonly RecordedMarket[]> = {
  name: 'recorded-markets',
  keep: latest,
};

/** Whether every recorded trade is in the ledger of candles, but for the newest minutes. */
export const candlesTopic: LatestTopic<{ readonly isCaughtUp: boolean }> = { name: 'candles', keep: latest };

/** How far the first-run history of a simulated market has come. */
export interface Seeding {
  /** Nothing more will be created. Also where there was nothing to create. */
  readonly isDone: boolean;
  /** An estimate, 0 to 1. */
  readonly progress: number;
  /** The recorded span of the tape, half open. Absent until trades are released: before that, none can be read. */
  readonly tape?: { readonly fromMs: number; readonly toMs: number };
}

export const seedingTopic: LatestTopic<Seeding> = { name: 'seeding', keep: latest };

/** The same of the secondary venues' markets, whose hours are created after it. */
export interface MarketSeeding {
  readonly isDone: boolean;
  /** Ids of the markets whose history is being created. */
  readonly markets: readonly string[];
  /** By publisher: up to when the hour in progress was created. The live trades of all its markets follow. */
  readonly createdTo?: Readonly<Record<string, number>>;
}

/** Absent: there is nothing to create. */
export const marketSeedingTopic: LatestTopic<MarketSeeding> = { name: 'market-seeding', keep: latest };

/** Whether recorded trades can be read, and live ones follow them. Absent: nothing is created. */
export function isTapeOpen(seeding: Seeding | undefined): boolean {
  return !seeding || seeding.isDone || seeding.tape !== undefined;
}

/** The dollar rate of a currency. */
export interface UsdRate {
  readonly rate: number;
  /** Time of the oldest price that it is made from. */
  readonly asOfMs: number;
  readonly isStale: boolean;
  /** The venues whose prices it is made from. */
  readonly venues: readonly string[];
}

/** Dollar rates of stablecoins, by currency. An absent rate is unknown. */
export interface UsdRates {
  readonly atMs: number;
  readonly rates: Readonly<Record<string, UsdRate>>;
  /** The sources of each rate that fail, with their ages at `atMs`. */
  readonly failing: Readonly<Record<string, readonly FailingSource[]>>;
}

export const usdRatesTopic: LatestTopic<UsdRates> = { name: 'usd-rates', keep: latest };

/** The newest sample of the histories that was written. */
export const historyTopic: LatestTopic<{ readonly t: number }> = { name: 'history', keep: latest };

/** Closing prices of the last day's half hours by coin, oldest first, up to a time; null where nothing was traded or recorded. */
export interface HalfHours {
  readonly untilMs: number;
  readonly byCoin: Readonly<Record<string, readonly (number | null)[]>>;
}

export const halfHoursTopic: LatestTopic<HalfHours> = { name: 'half-hours', keep: latest };

/** The newest minute of the flows that was written. */
export const flowHistoryTopic: LatestTopic<{ readonly t: number }> = { name: 'flow-history', keep: latest };

export const demandTopic: LatestTopic<Demand> = { name: 'demand', keep: latest, by: 'gateway' };

export const followTopic: LatestTopic<Following> = { name: 'follow', keep: latest, by: 'gateway' };

/** Our clock against the venues' times. */
export interface ClockState {
  /** How far the machine's time of day is ahead of the venues'. */
  readonly skewMs: number;
  /** How far the machine's time of day has stepped away from the time that the service uses; 0 when it has not. */
  readonly stepMs: number;
  /** The difference is too large to trust: nothing is removed because of its age. */
  readonly isWrong: boolean;
}

export const clockTopic: LatestTopic<ClockState> = { name: 'clock', keep: latest };

/** Topics of a feed to subscribe to again, because trades of theirs may have been missed. */
export interface Renewal {
  readonly venue: string;
  readonly feed: string;
  readonly topics: readonly string[];
}

export const renewTopic: LatestTopic<Renewal> = { name: 'renew', keep: latest };

/** The order book of one coin of the primary venue or, under its id, of a market, while a client follows it. */
export function bookTopic(coin: string): LatestTopic<Book> {
  return { name: `book:${coin}`, keep: latest };
}

/**
 * The tape of one coin of the primary venue, in order of release; under the id of a market, that of the market. Trades
 * of a market are in its own unit, as they are recorded: `followedTape().inCoins` converts them.
 */
export function tradeTopic(coin: string): LogTopic<Trade> {
  return {
    name: `trades:${coin}`,
    keep: {
      kind: 'log',
      keepMs: RESUME_KEEP_MS,
      entriesMax: TRADE_LOG_ENTRIES_MAX,
      isPacked: true,
      whileRecorded: { keepMs: BUSY_KEEP_MS, entriesMax: BUSY_TRADES },
    },
  };
}

/** A gap in the tape of one coin, as soon as it is known. */
interface TapeGapNotice {
  readonly ts: number;
  readonly from: number;
  readonly to: number;
  readonly state: 'refilled' | 'partial' | 'missing';
  readonly reason: string;
  readonly late?: boolean;
}

/** The gaps in the tape of one coin or, under its id, of a market; the trades that follow each come later. */
export function gapTopic(coin: string): LogTopic<TapeGapNotice> {
  return {
    name: `holes:${coin}`,
    keep: { kind: 'log', keepMs: RESUME_KEEP_MS, entriesMax: GAP_LOG_ENTRIES_MAX },
  };
}

/** The trades of one coin on a spot venue, in order of arrival. */
export function spotTradeTopic(venue: string, coin: string): LogTopic<SpotTrade> {
  return {
    name: `spot-trades:${venue}:${coin}`,
    keep: { kind: 'log', keepMs: RESUME_KEEP_MS, entriesMax: SPOT_TRADE_LOG_ENTRIES_MAX, isPacked: true },
  };
}

/** Every taker order of the primary venue, all coins, whatever its size. */
export const printTopic: LogTopic<Print> = {
  name: 'prints',
  keep: {
    kind: 'log',
    keepMs: RESUME_KEEP_MS,
    entriesMax: PRINT_LOG_ENTRIES_MAX,
    isPacked: true,
    whileRecorded: { keepMs: BUSY_KEEP_MS, entriesMax: BUSY_PRINTS },
  },
};

/** Smaller orders are not published with those of other venues: they can be found on the tape. */
export const VENUE_PRINT_MIN_USD = 10_000;

/** A taker order of any recorded market. */
export interface VenuePrint extends Print {
  /** Id of the market. */
  readonly market: string;
  readonly grouping?: 'order' | 'time';
}

/** The larger taker orders of every recorded market of every venue. */
export const venuePrintTopic: LogTopic<VenuePrint> = {
  name: 'venue-prints',
  keep: { kind: 'log', keepMs: RESUME_KEEP_MS, entriesMax: VENUE_PRINT_LOG_ENTRIES_MAX, isPacked: true },
};

/** Every funding rate of the primary venue that moved from one poll to the next. */
export const fundingTopic: LogTopic<FundingChange> = {
  name: 'funding',
  keep: { kind: 'log', keepMs: RESUME_KEEP_MS, entriesMax: FUNDING_LOG_ENTRIES_MAX },
  // Every ingester has polls, and so times, of its own: what counts is the rate last published.
  isDuplicate({ coin, ts, rate }, recent) {
    const last = recent.findLast((change) => change.coin === coin);
    return last !== undefined && (last.ts >= ts || last.rate === rate);
  },
};

/** Every liquidation of every venue, in order of arrival. */
export const liquidationTopic: LogTopic<Liquidation> = {
  name: 'liquidations',
  keep: { kind: 'log', keepMs: RESUME_KEEP_MS, entriesMax: LIQUIDATION_LOG_ENTRIES_MAX },
};

/** When the liquidation feed of each venue was connected within the window; `openSinceMs` if it is connected now. */
export interface ConnectedVenue {
  readonly venue: string;
  readonly past: readonly ConnectedSpan[];
  readonly openSinceMs?: number;
}

export const connectedVenuesTopic: LatestTopic<readonly ConnectedVenue[]> = { name: 'heard', keep: latest };

/** Recorded hours as they are compared with the venues' candles; `ts` is when. */
export const auditTopic: LogTopic<HourAudit & { readonly ts: number }> = {
  name: 'audit',
  keep: { kind: 'log', keepMs: RESUME_KEEP_MS, entriesMax: AUDIT_LOG_ENTRIES_MAX },
};

/** How far the back-fill with the venues' own histories has come. */
export interface BackfillProgress {
  readonly isDone: boolean;
  /** Markets whose candles are not all requested yet. */
  readonly marketsLeft: number;
  /** Requests since the start of the process. */
  readonly requests: number;
  /** Of open interest and funding. */
  readonly histories: { readonly isDone: boolean; readonly seriesLeft: number };
}

export const backfillTopic: LatestTopic<BackfillProgress> = { name: 'candle-backfill', keep: latest };

export const auditStateTopic: LatestTopic<AuditState> = { name: 'audit-state', keep: latest };

/** What venues report of the same coin, and is compared among them. */
export type CheckedField = 'openInterest' | 'funding' | 'mark';

/** A figure further from the other venues than its own history explains. */
export interface Suspect {
  readonly venue: string;
  readonly coin: string;
  readonly field: CheckedField;
  /** Open interest in dollars, funding per hour, or the mark price. */
  readonly value: number;
  /** Of the other venues. */
  readonly median: number;
  readonly reason: string;
}

/** Published when it changes. */
export const suspectsTopic: LatestTopic<readonly Suspect[]> = { name: 'suspects', keep: latest };

import type { ArchiveHealth } from './archive/archive.ts';
import type { Lake } from './lake/lake.ts';
import type { TObject, TProperties, TSchema } from 'typebox';
import type { Endpoint } from '../http/endpoint.ts';
import type { OpenApiDocument } from '../http/openapi.ts';
import type { RequestContext, Resources as HttpResources } from '../http/request-context.ts';
import type { CallerSlots } from '../platform/caller-slots.ts';
import type { CandleReader } from './candles/candle-reader.ts';
import type { AuditTable } from './audit/audit-table.ts';
import type { DayResults } from './audit/day-results.ts';
import type { FlowHistoryReader } from './flows/print-flow-history.ts';
import type { LiquidationEvents } from './liquidations/liquidation-events.ts';
import type { LiquidationHourTable } from './liquidations/hour-table.ts';
import type { LiquidationReader } from './liquidations/liquidation-reader.ts';
import type { MarketReader } from './market-tape/market-reader.ts';
import type { DepthTable } from './orderbook/depth/depth-table.ts';
import type { OptionLevelsTable } from './options/option-levels.ts';
import type { OptionTradeTable } from './options/trades/option-trade-table.ts';
import type { HistoryTable } from './perps/history-table.ts';
import type { SampleLedger } from './perps/samples/sample-ledger.ts';
import type { QuestionPriceTable } from './prediction/question-prices.ts';
import type { RateHistory } from './rates/rate-history.ts';
import type { Rotations } from './rotations/rotations.ts';
import type { ArrowBatches } from './tape/arrow-batches.ts';
import type { TapeCoverage } from './tape/tape-coverage.ts';
import type { TapeReader } from './tape/tape-reader.ts';
import type { WhaleReader } from './whales/whales.ts';

/** Available to the handlers of all features. */
export interface Resources extends HttpResources {
  /** Everything that is polled or connected to, and so has health. */
  readonly publishers: readonly { readonly id: string; readonly venue?: string }[];
  /** Id of the default venue. */
  readonly primaryVenue: string;
  readonly whales: WhaleReader;
  readonly tape: TapeReader;
  /** Batches of trades that were sent as Arrow. */
  readonly arrowBatches: ArrowBatches;
  /** Turns to read several markets together. */
  readonly aggregateTurns: CallerSlots;
  /** Turns to collect the pages of a long history for another program's protocol. */
  readonly historyTurns: CallerSlots;
  readonly coverage: TapeCoverage;
  /** The tapes of other venues; absent where only the primary's is recorded. */
  readonly markets?: MarketReader | undefined;
  readonly candles: CandleReader;
  /** Rates of stablecoins in dollars. */
  readonly rates: RateHistory;
  readonly rotations: Pick<
    Rotations,
    'submit' | 'job' | 'watch' | 'result' | 'findResult' | 'barsOf' | 'isFull'
  >;
  readonly histories: Pick<HistoryTable, 'samples'>;
  /** Recorded levels of options. */
  readonly optionLevels: Pick<OptionLevelsTable, 'since'>;
  /** Recorded trades of options. */
  readonly optionTrades: Pick<OptionTradeTable, 'spans' | 'newest' | 'each'>;
  /** Open interest and funding of every venue, for years. */
  readonly samples: Pick<SampleLedger, 'read' | 'hasFolded'>;
  /** Recorded order books. */
  readonly bookDepths: Pick<DepthTable, 'read' | 'sinceMs'>;
  /** Recorded prices of prediction markets. */
  readonly questionPrices: Pick<QuestionPriceTable, 'since'>;
  readonly liquidations: LiquidationReader;
  readonly liquidationEvents: Pick<LiquidationEvents, 'newest'>;
  /** Recorded sums of liquidations by hour. */
  readonly liquidationHours: Pick<LiquidationHourTable, 'between' | 'oldest'>;
  /** Days that were compared with the fills of the chain. */
  readonly reconciliations: Pick<DayResults, 'list' | 'newestScored' | 'read'>;
  /** Recorded hours that were compared with the venues' candles. */
  readonly audits: Pick<AuditTable, 'hours' | 'days'>;
  readonly flowHistory: FlowHistoryReader;
  /** Coins with flow figures. */
  readonly flowCoins: readonly string[];
  readonly retentionDays: number;
  /** How long candles and hourly samples are kept. */
  readonly candleDays: number;
  /** Files of sealed days; absent without a lake. */
  readonly lake?: Pick<Lake, 'files' | 'isArchived'> | undefined;
  /** State of archiving, if there is an archive. */
  readonly archiveHealth?: () => ArchiveHealth;
  readonly document: OpenApiDocument;
}

export type Context = RequestContext<Resources>;

type Defaults = 'method' | 'meta' | 'hasEnvelope' | 'errors';

/** Fills in the defaults of endpoints. */
export function endpoint<
  Query extends TObject,
  Data extends TSchema,
  Extra extends TProperties = Record<never, never>,
  Body extends TObject = TObject,
>(
  definition: Omit<Endpoint<Query, Data, Extra, Body, Context>, Defaults> &
    Partial<Pick<Endpoint<Query, Data, Extra, Body, Context>, Defaults>>,
): Endpoint<Query, Data, Extra, Body, Context> {
  return { method: 'GET', meta: {} as Extra, hasEnvelope: true, errors: [], ...definition };
}

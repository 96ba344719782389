import type { TObject } from 'typebox';
import * as envelope from '../http/envelope.ts';
import { CandleRecord } from './candles/schema.ts';
import { CvdSeries } from './flows/cvd-schema.ts';
import { FlowHistorySeries } from './flows/history-schema.ts';
import * as flows from './flows/schema.ts';
import * as flowsMeta from './flows/meta-schema.ts';
import { LiquidationHistory } from './liquidations/history-schema.ts';
import { LiquidationEvent } from './liquidations/schema.ts';
import * as markets from './markets/schema.ts';
import { CvdWindows, OiChange } from './perps/changes-schema.ts';
import { AuditDayMarket, AuditHour, AuditSummary } from './audit/hour-schema.ts';
import { LiquidationScoreDay } from './audit/liquidation-score-schema.ts';
import { FillsReconciliation } from './audit/schema.ts';
import { LakeDay } from './lake/schema.ts';
import { RecordedMarketRow } from './market-tape/schema.ts';
import * as onchain from './onchain/schema.ts';
import { BookDepthSeries, BookHistorySeries } from './orderbook/schema.ts';
import * as options from './options/schema.ts';
import { OptionFlowSummary, OptionTradeRow } from './options/trades/trades-schema.ts';
import { PositioningHistorySeries } from './perps/positioning-history-schema.ts';
import * as perps from './perps/schema.ts';
import * as prediction from './prediction/schema.ts';
import * as rotations from './rotations/schema.ts';
import * as sources from './sources/schema.ts';
import * as streams from './tape/stream-schema.ts';
import * as tape from './tape/schema.ts';

/** Every record of the interface, each under its own name. */
export const schemas: readonly TObject[] = [
  perps.OiSnap,
  OiChange,
  CvdWindows,
  perps.FundingSnap,
  perps.OiHistorySeries,
  perps.FundingHistorySeries,
  perps.PositioningSnap,
  PositioningHistorySeries,
  BookHistorySeries,
  BookDepthSeries,
  perps.WhaleTick,
  perps.LiquidationSnap,
  LiquidationEvent,
  LiquidationHistory,
  perps.PerpTicker,
  perps.VolumeSnap,
  streams.TradeTick,
  streams.FundingChange,
  streams.Heartbeat,
  streams.Bye,
  options.OptionChainRow,
  options.GexSummary,
  options.OptionLevelsSeries,
  options.VolatilityIndexSeries,
  options.SkewSummary,
  OptionTradeRow,
  OptionFlowSummary,
  onchain.EtfFlowsSnap,
  onchain.TreasurySnap,
  onchain.ValuationSnap,
  flows.SpotTick,
  flows.VenueSpreadSnap,
  flows.KimchiPremiumSnap,
  flows.EtfFlowProxySnap,
  flows.FlowSignal,
  flows.FlowCoverage,
  flows.FlowSummarySnap,
  FlowHistorySeries,
  CvdSeries,
  flowsMeta.FlowExplanation,
  markets.VenueCatalogEntry,
  markets.MarketInfo,
  markets.MarketsResponse,
  markets.PointsRow,
  markets.PointsResponse,
  prediction.PredictionEvent,
  prediction.PredictionBook,
  prediction.QuestionPriceSeries,
  rotations.RotationBuild,
  rotations.RotationStats,
  rotations.RotationJob,
  rotations.Bar,
  rotations.PackedResult,
  rotations.RotationResult,
  RecordedMarketRow,
  LakeDay,
  CandleRecord,
  tape.RawTrade,
  tape.TradeChunk,
  tape.TradePage,
  tape.TapeHole,
  tape.CoverageStretch,
  AuditHour,
  AuditSummary,
  AuditDayMarket,
  FillsReconciliation,
  LiquidationScoreDay,
  sources.SourceFeed,
  sources.SourceInfo,
  envelope.SourceEntry,
  envelope.FailureBody,
];

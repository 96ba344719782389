import type { Endpoint } from '../http/endpoint.ts';
import { withCsv } from '../http/with-csv.ts';
import { asyncapi } from './reference/endpoints/asyncapi.ts';
import { candles } from './candles/endpoints/candles.ts';
import { audit } from './audit/endpoints/audit.ts';
import { auditDay } from './audit/endpoints/audit-day.ts';
import { auditFills } from './audit/endpoints/audit-fills.ts';
import { auditLiquidations } from './audit/endpoints/audit-liquidations.ts';
import { auditSummary } from './audit/endpoints/audit-summary.ts';
import { coverage } from './tape/endpoints/coverage.ts';
import { flowsCvd } from './flows/endpoints/flows-cvd.ts';
import { flowsEtf } from './flows/endpoints/flows-etf.ts';
import { flowsHistory } from './flows/endpoints/flows-history.ts';
import { flowsKimchi } from './flows/endpoints/flows-kimchi.ts';
import { flowsSignals } from './flows/endpoints/flows-signals.ts';
import { flowsSummary } from './flows/endpoints/flows-summary.ts';
import { flowsVenueSpreads } from './flows/endpoints/flows-venue-spreads.ts';
import { markets } from './markets/endpoints/markets.ts';
import { lakeDays } from './lake/endpoints/lake-days.ts';
import { marketsRecorded } from './market-tape/endpoints/markets-recorded.ts';
import { marketsSpot } from './spot/endpoints/markets-spot.ts';
import { openapi } from './reference/endpoints/openapi.ts';
import { orderbookDepth } from './orderbook/endpoints/orderbook-depth.ts';
import { orderbookHistory } from './orderbook/endpoints/orderbook-history.ts';
import { onchainEtfFlows } from './onchain/endpoints/onchain-etf-flows.ts';
import { onchainTreasuries } from './onchain/endpoints/onchain-treasuries.ts';
import { onchainValuation } from './onchain/endpoints/onchain-valuation.ts';
import { optionsChain } from './options/endpoints/options-chain.ts';
import { optionsFlow } from './options/endpoints/options-flow.ts';
import { optionsGex } from './options/endpoints/options-gex.ts';
import { optionsHistory } from './options/endpoints/options-history.ts';
import { optionsSkew } from './options/endpoints/options-skew.ts';
import { optionsTrades } from './options/endpoints/options-trades.ts';
import { optionsVolatilityIndex } from './options/endpoints/options-volatility-index.ts';
import { perpsCvd } from './perps/endpoints/perps-cvd.ts';
import { perpsFunding } from './perps/endpoints/perps-funding.ts';
import { perpsFundingHistory } from './perps/endpoints/perps-funding-history.ts';
import { perpsLiquidationsEvents } from './liquidations/endpoints/perps-liquidations-events.ts';
import { perpsLiquidationsHistory } from './liquidations/endpoints/perps-liquidations-history.ts';
import { perpsLiquidations } from './liquidations/endpoints/perps-liquidations.ts';
import { perpsOi } from './perps/endpoints/perps-oi.ts';
import { perpsOiChanges } from './perps/endpoints/perps-oi-changes.ts';
import { perpsOiHistory } from './perps/endpoints/perps-oi-history.ts';
import { perpsPositioning } from './perps/endpoints/perps-positioning.ts';
import { perpsPositioningHistory } from './perps/endpoints/perps-positioning-history.ts';
import { perpsRotationsBuild } from './rotations/endpoints/perps-rotations-build.ts';
import { perpsRotationsJob } from './rotations/endpoints/perps-rotations-job.ts';
import { perpsRotationsResult } from './rotations/endpoints/perps-rotations-result.ts';
import { perpsTickers } from './perps/endpoints/perps-tickers.ts';
import { perpsTradesHistory } from './tape/endpoints/perps-trades-history.ts';
import { perpsVolume } from './perps/endpoints/perps-volume.ts';
import { perpsWhales } from './whales/endpoints/perps-whales.ts';
import { points } from './markets/endpoints/points.ts';
import { predictionEvents } from './prediction/endpoints/prediction-events.ts';
import { predictionHistory } from './prediction/endpoints/prediction-history.ts';
import { predictionOrderbook } from './prediction/endpoints/prediction-orderbook.ts';
import { sources } from './sources/endpoints/sources.ts';

const own: readonly Endpoint[] = [
  perpsOi,
  perpsFunding,
  perpsOiChanges,
  perpsOiHistory,
  perpsFundingHistory,
  perpsPositioning,
  perpsPositioningHistory,
  perpsWhales,
  perpsLiquidations,
  perpsLiquidationsEvents,
  perpsLiquidationsHistory,
  perpsTickers,
  perpsVolume,
  perpsCvd,
  perpsTradesHistory,
  orderbookHistory,
  orderbookDepth,
  marketsRecorded,
  lakeDays,
  candles,
  perpsRotationsBuild,
  perpsRotationsJob,
  perpsRotationsResult,
  optionsChain,
  optionsGex,
  optionsSkew,
  optionsHistory,
  optionsTrades,
  optionsFlow,
  optionsVolatilityIndex,
  onchainEtfFlows,
  onchainTreasuries,
  onchainValuation,
  flowsVenueSpreads,
  flowsKimchi,
  flowsEtf,
  flowsSignals,
  flowsSummary,
  flowsHistory,
  flowsCvd,
  markets,
  marketsSpot,
  points,
  predictionEvents,
  predictionOrderbook,
  predictionHistory,
  coverage,
  audit,
  auditSummary,
  auditDay,
  auditFills,
  auditLiquidations,
  sources,
  openapi,
  asyncapi,
];

/** Every REST endpoint; those whose answer is a list take `format=csv`. */
export const endpoints: readonly Endpoint[] = own.map(withCsv);

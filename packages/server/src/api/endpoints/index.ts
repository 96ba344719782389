import type { Endpoint } from '../endpoint.ts';
import { asyncapi } from './asyncapi.ts';
import { coverage } from './coverage.ts';
import { flowsEtf } from './flows-etf.ts';
import { flowsHistory } from './flows-history.ts';
import { flowsKimchi } from './flows-kimchi.ts';
import { flowsSignals } from './flows-signals.ts';
import { flowsSummary } from './flows-summary.ts';
import { flowsVenueSpreads } from './flows-venue-spreads.ts';
import { markets } from './markets.ts';
import { marketsSpot } from './markets-spot.ts';
import { openapi } from './openapi.ts';
import { onchainEtfFlows } from './onchain-etf-flows.ts';
import { onchainTreasuries } from './onchain-treasuries.ts';
import { onchainValuation } from './onchain-valuation.ts';
import { optionsChain } from './options-chain.ts';
import { optionsGex } from './options-gex.ts';
import { optionsSkew } from './options-skew.ts';
import { perpsFunding } from './perps-funding.ts';
import { perpsFundingHistory } from './perps-funding-history.ts';
import { perpsLiquidations } from './perps-liquidations.ts';
import { perpsOi } from './perps-oi.ts';
import { perpsOiHistory } from './perps-oi-history.ts';
import { perpsPositioning } from './perps-positioning.ts';
import { perpsRotationsBuild } from './perps-rotations-build.ts';
import { perpsRotationsJob } from './perps-rotations-job.ts';
import { perpsRotationsResult } from './perps-rotations-result.ts';
import { perpsTickers } from './perps-tickers.ts';
import { perpsTradesHistory } from './perps-trades-history.ts';
import { perpsWhales } from './perps-whales.ts';
import { points } from './points.ts';
import { predictionEvents } from './prediction-events.ts';
import { predictionOrderbook } from './prediction-orderbook.ts';
import { sources } from './sources.ts';

/** Every REST endpoint. */
export const endpoints: readonly Endpoint[] = [
  perpsOi,
  perpsFunding,
  perpsOiHistory,
  perpsFundingHistory,
  perpsPositioning,
  perpsWhales,
  perpsLiquidations,
  perpsTickers,
  perpsTradesHistory,
  perpsRotationsBuild,
  perpsRotationsJob,
  perpsRotationsResult,
  optionsChain,
  optionsGex,
  optionsSkew,
  onchainEtfFlows,
  onchainTreasuries,
  onchainValuation,
  flowsVenueSpreads,
  flowsKimchi,
  flowsEtf,
  flowsSignals,
  flowsSummary,
  flowsHistory,
  markets,
  marketsSpot,
  points,
  predictionEvents,
  predictionOrderbook,
  coverage,
  sources,
  openapi,
  asyncapi,
];

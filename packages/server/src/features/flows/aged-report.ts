import type { Liveness } from '@crosstape/core';
import { SPOT_STALE_MS } from '../rates/usdt-rate.ts';
import { proxyConfidence } from './etf-proxy.ts';
import { spotCoverage } from './flow-coverage.ts';
import { type FlowFigures, LAST_GOOD_MS } from './flow-figures.ts';
import { type FlowReport, keptParts } from './flow-report.ts';
import { flowFailures } from './flow-sources.ts';
import { isComparable } from './same-moment.ts';
import type { Latest } from './flow-inputs.ts';

/** Reports are made every second: one that is this old is stale. */
const REPORT_STALE_MS = 5_000;

/**
 * A report as served at a time. An expired one keeps its time, figures and parts, and names the failing sources;
 * `undefined` if it is too old.
 */
export function agedReport(
  report: FlowReport,
  nowMs: number,
  { latest, primaryVenue }: { readonly latest: Latest; readonly primaryVenue: string },
): FlowReport | undefined {
  const ageMs = nowMs - report.atMs;
  if (ageMs <= REPORT_STALE_MS) return report;
  if (ageMs > LAST_GOOD_MS) return undefined;
  const figures = agedFigures(report.figures, nowMs);
  return {
    ...report,
    atMs: nowMs,
    figures,
    parts: keptParts(report.parts, nowMs),
    failures: flowFailures({ ...figures, atMs: nowMs }, primaryVenue, latest),
  };
}

/** Nothing is live that was not computed again. */
function agedFigures(figures: FlowFigures, nowMs: number): FlowFigures {
  const prices = figures.prices.map((price) => ({ ...price, isStale: nowMs - price.asOfMs > SPOT_STALE_MS }));
  const freshVenues = prices.filter(isComparable).length;
  const { kimchi, etfProxy, primaryMicro } = figures.coverage;
  return {
    ...figures,
    prices,
    proxyConfidence: proxyConfidence(freshVenues, false),
    coverage: {
      globalSpot: spotCoverage(freshVenues),
      kimchi: aged(kimchi),
      etfProxy: aged(etfProxy),
      primaryMicro: aged(primaryMicro),
    },
  };
}

function aged(liveness: Liveness): Liveness {
  return liveness === 'live' ? 'stale' : liveness;
}

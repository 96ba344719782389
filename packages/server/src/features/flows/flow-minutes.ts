import {
  type FailingSource,
  type FlowMetric,
  type FlowOrigins,
  type FlowPoint,
  MINUTE_MS,
  roundTo,
} from '@crosstape/core';
import type { FlowFigures } from './flow-figures.ts';
import type { FlowReport } from './flow-report.ts';
import { joinedSources } from './flow-sources.ts';
import { proxyVenue } from './etf-proxy.ts';
import { isCurrent } from './kimchi-premium.ts';
import { isComparable } from './same-moment.ts';
import { koreanSource } from './flow-inputs.ts';
import { spotVenueNames } from '../spot/spot-venues.ts';

const USD_DECIMALS = 2;

interface Minute {
  readonly startMs: number;
  report: FlowReport;
  failing: readonly FailingSource[];
}

/** Makes points from reports: one for each coin and minute with any, as soon as the next begins. */
export class FlowMinutes {
  readonly #primaryVenue: string;
  readonly #emit: (point: FlowPoint) => void;
  readonly #minutes = new Map<string, Minute>();

  constructor(options: { readonly primaryVenue: string; readonly emit: (point: FlowPoint) => void }) {
    this.#primaryVenue = options.primaryVenue;
    this.#emit = options.emit;
  }

  add(report: FlowReport): void {
    const { coin, atMs } = report;
    const startMs = Math.floor(atMs / MINUTE_MS) * MINUTE_MS;
    const minute = this.#minutes.get(coin);
    if (minute?.startMs === startMs) {
      minute.report = report;
      minute.failing = joinedSources([minute.failing, ...Object.values(report.failures)]);
      return;
    }
    if (minute) this.#emit(pointOf(minute, this.#primaryVenue));
    this.#minutes.set(coin, { startMs, report, failing: joinedSources(Object.values(report.failures)) });
  }
}

function pointOf({ startMs, report, failing }: Minute, primaryVenue: string): FlowPoint {
  const { coin, figures, marks } = report;
  const { coverage } = figures;
  return {
    coin,
    t: startMs,
    values: { ...valuesOf(figures), sourcePartial: failing.length > 0 ? 1 : 0 },
    origins: originsOf(figures, primaryVenue),
    coverage,
    partial: failing.length > 0,
    stale: [coverage.kimchi, coverage.etfProxy, coverage.primaryMicro].includes('stale'),
    sources: failing,
    signals: marks,
  };
}

/** The metrics that can be computed from figures. */
function valuesOf(figures: FlowFigures): Partial<Record<FlowMetric, number>> {
  const { pressure, proxy, kimchi, etf, proxyTape, primaryTape, spreads } = figures;
  return {
    ...(pressure.components.length > 0 && { flowPressureScore: pressure.score }),
    ...(proxy && !proxy.isSkewed && { proxyPremiumBps: proxy.premiumBps }),
    ...(isCurrent(kimchi) && { kimchiPremiumBps: kimchi.premiumBps }),
    ...(etf && { etfLatestTotalUsdm: etf.latestTotalUsdm }),
    ...(proxyTape?.isWhole && { proxyTapeDeltaUsd5m: roundTo(proxyTape.netUsd, USD_DECIMALS) }),
    ...(primaryTape?.isWhole && { primaryMicroNetUsd5m: roundTo(primaryTape.netUsd, USD_DECIMALS) }),
    ...(spreads?.dispersionBps !== undefined && { venueSpreadDispersionBps: spreads.dispersionBps }),
  };
}

/** The sources of figures. */
export function originsOf(
  { prices, kimchi, etf, proxyTape, primaryTape }: FlowFigures,
  primaryVenue: string,
): FlowOrigins {
  const fresh = new Set(prices.filter(isComparable).map(({ venue }) => venue));
  const spot = spotVenueNames.filter(({ venue }) => fresh.has(venue)).map(({ venue }) => venue);
  return {
    ...(spot.length > 0 && { spot: spot.join('+') }),
    ...(typeof kimchi === 'object' && { korea: `${koreanSource}+${kimchi.usdKrw.provider}` }),
    ...(etf && { etf: etf.source }),
    ...(proxyTape && { proxyTape: proxyVenue.venue }),
    ...(primaryTape && { primaryTape: primaryVenue }),
  };
}

/** Which of the origins a metric is made from. */
const originsOfMetric: Readonly<Record<FlowMetric, readonly (keyof FlowOrigins)[]>> = {
  flowPressureScore: ['spot', 'korea', 'proxyTape', 'primaryTape', 'etf'],
  proxyPremiumBps: ['spot'],
  kimchiPremiumBps: ['spot', 'korea'],
  etfLatestTotalUsdm: ['etf'],
  proxyTapeDeltaUsd5m: ['proxyTape'],
  primaryMicroNetUsd5m: ['primaryTape'],
  venueSpreadDispersionBps: ['spot'],
  sourcePartial: ['spot', 'korea', 'proxyTape', 'primaryTape', 'etf'],
};

/** The names behind a metric, each once. */
export function namesBehind(metric: FlowMetric, origins: FlowOrigins): readonly string[] {
  return [...new Set(originsOfMetric[metric].flatMap((origin) => origins[origin]?.split('+') ?? []))];
}

import { DAY_MS, type EtfDay, type EtfFlows, roundTo } from '@crosstape/core';

const SHOWN_DAYS = 30;
/** A fund that reported on one of this many previous days is expected to report. */
const EXPECTED_DAYS = 10;
const USDM_DECIMALS = 2;

export interface EtfSummaryDay extends EtfDay {
  /** An expected report is missing. */
  readonly isPartial: boolean;
}

export interface EtfSummary {
  /** Trading days of the last 30 calendar days. */
  readonly days: readonly EtfSummaryDay[];
  /** The last complete day. */
  readonly latest: EtfDay;
  readonly cumulativeUsdm: number;
  /** The first day that counts, where it is not that of the launch. */
  readonly cumulativeFromMs?: number;
}

/** A summary of a source's days at a time. `undefined` if none is complete. */
export function summariseEtf({ days, isSinceLaunch }: EtfFlows, nowMs: number): EtfSummary | undefined {
  const judged = days.map((day, i) => ({ ...day, isPartial: isPartial(days, i) }));
  const latest = judged.findLast((day) => !day.isPartial);
  if (!latest) return undefined;
  const fromMs = (Math.floor(nowMs / DAY_MS) - SHOWN_DAYS + 1) * DAY_MS;
  const shown = judged.filter(({ dayMs }) => dayMs >= fromMs);
  const counted = isSinceLaunch ? days : shown;
  const sum = counted.reduce((total, { totalUsdm }) => total + totalUsdm, 0);
  return {
    days: shown,
    latest,
    cumulativeUsdm: roundTo(sum, USDM_DECIMALS),
    ...(isSinceLaunch ? {} : { cumulativeFromMs: shown[0]?.dayMs ?? fromMs }),
  };
}

function isPartial(days: readonly EtfDay[], at: number): boolean {
  const reported = days[at]?.flowsUsdm ?? {};
  const before = days.slice(Math.max(0, at - EXPECTED_DAYS), at);
  return before.some(({ flowsUsdm }) => Object.keys(flowsUsdm).some((ticker) => !(ticker in reported)));
}

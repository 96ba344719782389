import type { FlowCoverage, Liveness } from '@crosstape/core';
import { spotVenueNames } from '../spot/spot-venues.ts';

export function spotCoverage(freshVenues: number): FlowCoverage['globalSpot'] {
  if (freshVenues === 0) return 'none';
  return freshVenues === spotVenueNames.length ? 'full' : 'partial';
}

/** Liveness of a whole from its parts. */
export function jointLiveness(parts: readonly Liveness[]): Liveness {
  if (parts.every((part) => part === 'none')) return 'none';
  return parts.every((part) => part === 'live') ? 'live' : 'stale';
}

import { primaryVenue } from '@crosstape/venues';
import type { GapLedger } from '../../features/tape/gap-ledger.ts';
import { createTapeCoverage, type TapeCoverage } from '../../features/tape/tape-coverage.ts';
import { LocalBus } from '../../platform/local-bus.ts';
import { systemClock } from '../../platform/system-clock.ts';

/** Completeness of the primary venue's tape, from the ledger alone: with or without a running service. */
export function recordedCoverage(ledger: GapLedger): TapeCoverage {
  return createTapeCoverage({
    clock: systemClock,
    bus: new LocalBus(systemClock),
    ledger,
    venue: primaryVenue.id,
    retentionDays: Number.POSITIVE_INFINITY,
    recordCoins: 'all',
  });
}

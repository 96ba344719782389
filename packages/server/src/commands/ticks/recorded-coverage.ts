import { primaryVenue } from '@crosstape/venues';
import type { GapLedger } from '../../features/tape/gap-ledger.ts';
import { createTapeCoverage, type TapeCoverage } from '../../features/tape/tape-coverage.ts';
import { LocalBus } from '../../platform/local-bus.ts';
import { systemClock } from '../../platform/system-clock.ts';

/** How complete the tape of the primary venue is, from the ledger alone: beside a running service, or without one. */
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

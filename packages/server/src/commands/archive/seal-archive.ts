import { marketVenues } from '@crosstape/venues';
import { Archive } from '../../features/archive/archive.ts';
import { withArchive } from '../../features/archive/archived-store.ts';
import { DamageList } from '../../features/archive/damage-list.ts';
import { lakeMarkets } from '../../features/lake/lake-markets.ts';
import { createMarketReader } from '../../features/market-tape/market-reader.ts';
import { createTapeReader } from '../../features/tape/tape-reader.ts';
import { GapLedger } from '../../features/tape/gap-ledger.ts';
import { TickTable } from '../../features/tape/tick-table.ts';
import { LocalBus } from '../../platform/local-bus.ts';
import { systemClock } from '../../platform/system-clock.ts';
import { startThreadJobs } from '../../platform/thread-jobs.ts';
import type { Terminal } from '../command.ts';
import { recordedCoverage } from '../ticks/recorded-coverage.ts';
import { type ArchivedRecord, VENUE, withRecord } from './open-record.ts';

export async function sealArchive(args: readonly string[], terminal: Terminal): Promise<number> {
  return withRecord(args, terminal, { isWriting: true }, async (record) => {
    const jobs = startThreadJobs({ threadsMax: 1, isBackground: true });
    try {
      const archive = await archiveOf(record, jobs, terminal);
      const { sealed, files } = await archive.seal();
      terminal.out(
        sealed.length === 0
          ? 'every day that is over is archived'
          : `${sealed.join(', ')} sealed in ${record.address.archive}: ${files} files`,
      );
      return 0;
    } finally {
      await jobs.stop();
    }
  });
}

function archiveOf(
  { store, folder, address, catalog, place, isSimulated }: ArchivedRecord,
  jobs: ReturnType<typeof startThreadJobs>,
  { error }: Terminal,
): Promise<Archive> {
  const clock = systemClock;
  const bus = new LocalBus(clock);
  const archived = withArchive(store, catalog, place);
  const ticks = new TickTable(archived);
  const coverage = recordedCoverage(new GapLedger(store));
  const markets = createMarketReader({
    store: archived,
    bus,
    clock,
    retentionDays: Number.POSITIVE_INFINITY,
    venues: marketVenues,
    primary: { ticks, tape: createTapeReader({ table: ticks, bus }), coverage },
  });
  const say = (fields: object, message: string): void => error(`${message} ${JSON.stringify(fields)}`);
  return Archive.open({
    clock,
    bus,
    log: { debug: () => undefined, info: say, warn: say, error: say },
    jobs,
    store,
    folder,
    address,
    catalog,
    place,
    damages: new DamageList(folder),
    markets: () => lakeMarkets(markets, VENUE),
    primaryVenue: VENUE,
    prefix: isSimulated ? 'sim:' : '',
  });
}

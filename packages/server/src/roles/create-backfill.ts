import { primaryVenue } from '@crosstape/venues';
import { Backfill } from '../features/backfill/backfill.ts';
import type { CandleLedger } from '../features/candles/candle-ledger.ts';
import { CandleTasks } from '../features/candles/candle-task.ts';
import { openedMarkets } from '../features/candles/opened-markets.ts';
import { whenCaughtUp } from '../features/candles/when-caught-up.ts';
import type { HistoryTable } from '../features/perps/history-table.ts';
import type { SampleLedger } from '../features/perps/samples/sample-ledger.ts';
import { SampleTasks } from '../features/perps/samples/sample-task.ts';
import type { CandleSource } from '../ingest/candle-client.ts';
import type { SampleSource } from '../ingest/sample-client.ts';
import { readBackfill } from '../platform/backfill-days.ts';
import type { RoleDependencies } from './role-dependencies.ts';

/**
 * The back-fill with the venues' own histories; it begins once everything recorded is in the ledgers. Only candles, if
 * the other histories belong to another ingester.
 */
export function createBackfill(
  {
    settings,
    clock,
    bus,
    log,
    store,
  }: Pick<RoleDependencies, 'settings' | 'clock' | 'bus' | 'log' | 'store'>,
  ledgers: {
    readonly candles: CandleLedger;
    readonly sampled?: { readonly histories: HistoryTable; readonly samples: SampleLedger };
  },
): {
  readonly addCandles: (source: CandleSource) => void;
  readonly addHistory: (source: SampleSource) => void;
  readonly start: () => void;
  readonly stop: () => Promise<void>;
} {
  const days = readBackfill(settings.backfill) ?? { '1h': 0, '1m': 0 };
  const isOff = days['1h'] === 0 && days['1m'] === 0;
  const backfill = new Backfill({ bus, clock, log });
  const marketsOf = openedMarkets({ store, bus, primaryVenue: primaryVenue.id });
  const inTurn: CandleLedger['inTurn'] = (work) => ledgers.candles.inTurn(work);
  const candles = new CandleTasks({ store, clock, days, marketsOf, inTurn });
  const { sampled } = ledgers;
  const samples =
    sampled &&
    new SampleTasks({
      store,
      bus,
      clock,
      ledger: sampled.samples,
      primaryVenue: primaryVenue.id,
      days: days['1h'],
      marketsOf,
    });
  const fold = async (): Promise<void> => {
    try {
      await sampled?.samples.fold(sampled.histories, primaryVenue.id);
    } catch (error) {
      log.error({ err: error }, 'recorded histories cannot be kept for longer');
    }
  };
  let folding: Promise<unknown> = Promise.resolve();
  let leave = (): void => undefined;
  return {
    addCandles: (source) => backfill.add(candles.of(source)),
    addHistory: (source) => samples && backfill.add(samples.of(source)),
    start() {
      leave = whenCaughtUp(bus, () => {
        folding = fold().then(() => (isOff ? undefined : backfill.start()));
      });
    },
    async stop() {
      leave();
      await Promise.all([folding, backfill.stop()]);
    },
  };
}

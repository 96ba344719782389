import type { LatestTopic } from '../../platform/bus.ts';
import { everyMultiple } from '../../platform/every-multiple.ts';
import { SampleRecorder } from '../../platform/sample-recorder.ts';
import { sampleTimeOf } from '../../platform/sample-time.ts';
import { firstOnly, SampleTable } from '../../store/sample-table.ts';
import type { Store } from '../../store/store.ts';
import { type SamplingOptions, TEN_MINUTES_MS } from '../sampled-series.ts';
import { demandTopic } from '../../topics.ts';
import { optionCoins, optionsVenueId, optionTables } from './option-chain.ts';
import { type OptionFigures, optionFiguresTopic } from './option-figures.ts';

export const LEVELS_DAYS = 90;
/** The usual period of volatility. */
const USUAL_DAYS = 30;

/** The levels of a coin's options at one time. */
export interface OptionLevels {
  readonly coin: string;
  readonly t: number;
  readonly spot: number;
  readonly totalGex: number;
  readonly callWall: number;
  readonly putWall: number;
  readonly gammaFlip: number | null;
  readonly callOi: number;
  readonly putOi: number;
  readonly atmIv30?: number;
}

/** Recorded levels, by coin. */
export class OptionLevelsTable extends SampleTable<OptionLevels> {
  constructor(store: Store) {
    super(store, 'optionLevels');
  }
}

/** The time of the newest levels that were written. */
export const optionLevelsTopic: LatestTopic<{ readonly t: number }> = {
  name: 'option-levels',
  keep: { kind: 'latest' },
};

/**
 * Records the levels of every coin with options. Chains are polled on demand: every ten minutes they are demanded, and
 * the first figures of a chain fetched soon after that are the sample of that time, also after a restart.
 */
export function recordLevels(options: SamplingOptions): { stop(): Promise<void> } {
  const { clock, bus, store } = options;
  const recorder = new SampleRecorder<OptionLevels>({
    ...options,
    table: firstOnly(new OptionLevelsTable(store)),
    topic: optionLevelsTopic,
    what: 'levels of options',
    retentionDays: LEVELS_DAYS,
  });
  const recorded = new Map<string, number>();
  const leave = optionCoins.map((coin) =>
    bus.subscribe(optionFiguresTopic(coin), (figures) => {
      const levels = levelsOf(figures);
      if (!levels || levels.t <= (recorded.get(coin) ?? 0)) return;
      recorded.set(coin, levels.t);
      recorder.add(levels);
    }),
  );
  const demand = (): void => {
    bus.publish(demandTopic, { venue: optionsVenueId, table: 'indexPrices', keys: optionCoins });
    for (const table of optionTables)
      bus.publish(demandTopic, { venue: optionsVenueId, table, isOnce: true });
  };
  const timer = everyMultiple(clock, TEN_MINUTES_MS, demand);
  return {
    async stop() {
      timer.cancel();
      for (const unsubscribe of leave) unsubscribe();
      await recorder.stop();
    },
  };
}

/** Figures as the sample of the ten minutes at whose beginning their chain was fetched. */
export function levelsOf({ coin, gex, skew }: OptionFigures): OptionLevels | undefined {
  if (!gex) return undefined;
  const t = sampleTimeOf(gex.fetchedAtMs, TEN_MINUTES_MS);
  if (t === undefined) return undefined;
  const { spot, totalGex, callWall, putWall, gammaFlip, strikes } = gex;
  const atmIv30 = atmIvIn(USUAL_DAYS, skew.termStructure);
  return {
    coin,
    t,
    spot,
    totalGex,
    callWall: callWall.strike,
    putWall: putWall.strike,
    gammaFlip,
    callOi: strikes.reduce((sum, { callOi }) => sum + callOi, 0),
    putOi: strikes.reduce((sum, { putOi }) => sum + putOi, 0),
    ...(atmIv30 !== undefined && { atmIv30 }),
  };
}

/** Interpolated in total variance between the expiries on either side; `undefined` where one is missing. */
function atmIvIn(days: number, term: OptionFigures['skew']['termStructure']): number | undefined {
  const before = term.findLast(({ dteDays }) => dteDays <= days);
  const after = term.find(({ dteDays }) => dteDays >= days);
  if (!before || !after) return undefined;
  const width = after.dteDays - before.dteDays;
  const share = width === 0 ? 0 : (days - before.dteDays) / width;
  const variance = (one: typeof before): number => one.atmIv ** 2 * one.dteDays;
  return Math.sqrt((variance(before) * (1 - share) + variance(after) * share) / days);
}

import type { LatestTopic } from '../../platform/bus.ts';
import { everyMultiple } from '../../platform/every-multiple.ts';
import { SampleRecorder } from '../../platform/sample-recorder.ts';
import { sampleTimeOf } from '../../platform/sample-time.ts';
import { firstOnly, SampleTable } from '../../store/sample-table.ts';
import type { Store } from '../../store/store.ts';
import { type SamplingOptions, TEN_MINUTES_MS } from '../sampled-series.ts';
import { demandTopic, snapshotTopic } from '../../topics.ts';
import { rankQuestions } from './rank-questions.ts';
import { predictionVenueId } from './read-prediction.ts';

export const PRICES_DAYS = 30;
/** Questions that are recorded: the first ones of the list. */
export const QUESTIONS_MAX = 100;

/** The price of a question at one time. */
export interface QuestionPrice {
  /** Id of the question: samples are kept by it. */
  readonly coin: string;
  readonly t: number;
  /** Price of its first outcome. */
  readonly price: number;
}

/** Recorded prices, by question. */
export class QuestionPriceTable extends SampleTable<QuestionPrice> {
  constructor(store: Store) {
    super(store, 'questionPrices');
  }
}

/** The time of the newest prices that were written. */
export const questionPricesTopic: LatestTopic<{ readonly t: number }> = {
  name: 'question-prices',
  keep: { kind: 'latest' },
};

/**
 * Records the prices of the first questions of the list. The list is polled on demand: every ten minutes it is demanded,
 * and the first one fetched soon after that is the sample of that time, also after a restart.
 */
export function recordQuestionPrices(options: SamplingOptions): { stop(): Promise<void> } {
  const { clock, bus, store } = options;
  const recorder = new SampleRecorder<QuestionPrice>({
    ...options,
    table: firstOnly(new QuestionPriceTable(store)),
    topic: questionPricesTopic,
    what: 'prices of questions',
    retentionDays: PRICES_DAYS,
  });
  let recordedMs = 0;
  const leave = bus.subscribe(snapshotTopic(predictionVenueId, 'predictions'), ({ rows, fetchedAtMs }) => {
    const t = sampleTimeOf(fetchedAtMs, TEN_MINUTES_MS);
    if (t === undefined || t <= recordedMs) return;
    recordedMs = t;
    const ranked = rankQuestions(rows, { fetchedAtMs, nowMs: clock.now() }).slice(0, QUESTIONS_MAX);
    for (const { market } of ranked)
      recorder.add({ coin: market.symbol, t, price: market.outcomes[0].price });
  });
  const demand = (): void =>
    bus.publish(demandTopic, { venue: predictionVenueId, table: 'predictions', isOnce: true });
  const timer = everyMultiple(clock, TEN_MINUTES_MS, demand);
  return {
    async stop() {
      timer.cancel();
      leave();
      await recorder.stop();
    },
  };
}

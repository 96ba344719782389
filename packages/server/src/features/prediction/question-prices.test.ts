import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '@crosstape/core';
import { expect, it, vi } from 'vitest';
import { sampleQuestion } from '../../api/testing/sample-prediction.ts';
import { LocalBus } from '../../platform/local-bus.ts';
import type { Log } from '../../platform/log.ts';
import { LmdbStore } from '../../store/lmdb-store.ts';
import { type Demand, demandTopic, snapshotTopic } from '../../topics.ts';
import {
  QUESTIONS_MAX,
  QuestionPriceTable,
  questionPricesTopic,
  recordQuestionPrices,
} from './question-prices.ts';

const TEN_MINUTES_MS = 600_000;
const START_MS = 3 * TEN_MINUTES_MS + 1_000;
const silent = (): void => undefined;
const log: Log = { debug: silent, info: silent, warn: silent, error: silent };

it('demands the list every ten minutes, and records the first questions of the first one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'crosstape-questions-'));
  const store = new LmdbStore(folder);
  const clock = new ManualClock(START_MS);
  const bus = new LocalBus(clock);
  const demands: Demand[] = [];
  bus.subscribe(demandTopic, (demand) => demands.push(demand));
  const prices = recordQuestionPrices({ clock, bus, log, store, keptFromMs: (ms) => clock.now() - ms });
  const publish = (fetchedAtMs: number, price: number): void => {
    const rows = Array.from({ length: QUESTIONS_MAX + 1 }, (_, i) => {
      const question = sampleQuestion(String(i), { liquidityUsd: 1_000 - i, endMs: 1e9 });
      const [yes, no] = question.outcomes;
      return { ...question, outcomes: [{ ...yes, price }, no] as const };
    });
    const snapshot = { rows, fetchedAtMs, everyMs: 60_000 };
    bus.publish(snapshotTopic('polymarket', 'predictions'), snapshot as never);
  };

  publish(START_MS - 120_000, 0.9);
  publish(START_MS, 0.1);
  publish(START_MS + 60_000, 0.2);
  clock.advance(TEN_MINUTES_MS - 1_000);
  expect(demands).toEqual([{ venue: 'polymarket', table: 'predictions', isOnce: true }]);
  publish(clock.now() + 5_000, 0.3);
  await vi.waitFor(() => expect(bus.latest(questionPricesTopic)?.message.t).toBe(4 * TEN_MINUTES_MS));
  await prices.stop();
  clock.advance(TEN_MINUTES_MS);
  expect(demands).toHaveLength(1);

  const table = new QuestionPriceTable(store);
  expect(await table.since('0', 0)).toEqual([
    { coin: '0', t: 3 * TEN_MINUTES_MS, price: 0.1 },
    { coin: '0', t: 4 * TEN_MINUTES_MS, price: 0.3 },
  ]);
  expect(await table.since(String(QUESTIONS_MAX - 1), 0)).toHaveLength(2);
  expect(await table.since(String(QUESTIONS_MAX), 0)).toEqual([]);
  await store.close();
  await rm(folder, { recursive: true });
});

import { HOUR_MS, ManualClock, type Trade } from '@crosstape/core';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { sampleTrades } from '../../../api/testing/sample-tape.ts';
import { TestTape } from '../../../api/testing/test-tape.ts';
import { LocalBus } from '../../../platform/local-bus.ts';
import { snapshotTopic } from '../../../topics.ts';
import type { RotationJob } from '../rotation-job.ts';
import type { RotationRequest } from '../rotation-spec.ts';
import type { Rotations, Submission } from '../rotations.ts';
import { HeldJobs } from './held-jobs.ts';

export const NOW_MS = 1_790_000_000_000;
export const request: RotationRequest = { coin: 'BTC', kind: 'range', params: { rangeTicks: 20 } };

/** A tape that was connected for two hours, and builds from it, for each test of a file. */
export class BuildRig {
  clock!: ManualClock;
  bus!: LocalBus;
  jobs!: HeldJobs;
  tape!: TestTape;
  errors!: object[];

  constructor() {
    beforeEach(async () => {
      this.clock = new ManualClock(NOW_MS);
      this.bus = new LocalBus(this.clock);
      this.jobs = new HeldJobs();
      this.errors = [];
      const error = (fields: object): void => void this.errors.push(fields);
      const log = { debug() {}, info() {}, warn() {}, error };
      this.tape = await TestTape.open({ clock: this.clock, bus: this.bus, log, jobs: this.jobs });
      this.jobs.table = this.tape.ticks;
      const rows = ['BTC', 'ETH'].map((coin) => ({ coin, symbol: coin, sizeDecimals: 2 }));
      this.bus.publish(snapshotTopic('hyperliquid', 'instruments'), {
        venue: 'hyperliquid',
        rows,
        fetchedAtMs: NOW_MS,
        everyMs: 1_000,
      });
      await this.tape.connected(NOW_MS - 2 * HOUR_MS, NOW_MS);
    });
    afterEach(async () => {
      vi.restoreAllMocks();
      await this.tape.close();
    });
  }

  get rotations(): Rotations {
    return this.tape.rotations;
  }

  async record(): Promise<readonly Trade[]> {
    const all = sampleTrades(NOW_MS - HOUR_MS, 7_000);
    await this.tape.record(all.slice(0, 3_000), 'sealed');
    await this.tape.record(all.slice(3_000, 6_000), 'sealed');
    await this.tape.record(all.slice(6_000, 6_900), 'tail');
    await this.tape.record(all.slice(6_900), 'memory');
    return all;
  }

  async ended({ jobId }: Submission): Promise<RotationJob> {
    return vi.waitFor(async () => {
      const job = await this.rotations.job(jobId);
      expect(['done', 'error']).toContain(job?.status);
      return job as RotationJob;
    });
  }
}

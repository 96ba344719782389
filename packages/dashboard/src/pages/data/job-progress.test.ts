import { expect, it } from 'vitest';
import { progressOf } from './job-progress.ts';

const stats = { trades: 9, bars: 2, firstTs: 1, lastTs: 2, gaps: [], degraded: false, tick: 1, buildMs: 3 };

it('converts a build frame of the gateway to the form of the REST API', () => {
  const begun = { pct: 0, trades: 0, bars: 0 };
  const accepted = { type: 'build:accepted', jobId: 'b', cacheKey: 'k', cached: false } as const;
  expect(progressOf(accepted)).toEqual({ status: 'queued', ...begun });
  const progress = { type: 'build:progress', pct: 0.4, trades: 4, totalTrades: 10, bars: 1 } as const;
  expect(progressOf(progress)).toEqual({ status: 'running', pct: 0.4, trades: 4, bars: 1 });
  const done = { type: 'build:done', resultKey: 'k', stats, cached: false } as const;
  expect(progressOf(done)).toEqual({
    status: 'done',
    pct: 1,
    trades: 9,
    bars: 2,
    stats,
    resultKey: 'k',
  });
  const failed = { type: 'build:error', message: 'No trade is on record.' } as const;
  expect(progressOf(failed)).toEqual({ status: 'error', ...begun, error: 'No trade is on record.' });
});

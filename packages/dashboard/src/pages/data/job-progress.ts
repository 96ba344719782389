import type { Schemas } from '@crosstape/client';
import type { BuildWord } from '../../live/topic.ts';

/** The state of a build, from the socket or from REST. */
type Progress = Pick<Schemas['RotationJob'], 'status' | 'pct' | 'trades' | 'bars' | 'stats' | 'error'> & {
  /** Of the build that was done: after a restart of the service it is another one than was requested at first. */
  readonly resultKey?: string;
};

/** The gateway's state of a build, in the terms of the API. */
export function progressOf(word: BuildWord): Progress {
  const begun = { pct: 0, trades: 0, bars: 0 };
  if (word.type === 'build:accepted') return { status: 'queued', ...begun };
  if (word.type === 'build:error') return { status: 'error', ...begun, error: word.message };
  if (word.type === 'build:progress') {
    const { pct, trades, bars } = word;
    return { status: 'running', pct, trades, bars };
  }
  const { stats, resultKey } = word;
  return { status: 'done', pct: 1, trades: stats.trades, bars: stats.bars, stats, resultKey };
}

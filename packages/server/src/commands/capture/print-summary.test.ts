import type { SourceHealth } from '@crosstape/core';
import { expect, it } from 'vitest';
import type { SourceCount } from '../../capture/recorder.ts';
import { NO_ANSWER_YET } from '../../topics.ts';
import { printSummary } from './print-summary.ts';

function count(part: Partial<SourceCount>): SourceCount {
  return {
    requests: 0,
    answers: new Map(),
    failures: 0,
    lastFailure: '',
    connections: 0,
    frames: 0,
    dropped: 0,
    ...part,
  };
}

function health(source: string, part: Partial<SourceHealth>): SourceHealth {
  const counters = { messages: 0, refused: 0, reconnects: 0 };
  return {
    source,
    venue: source.split(':')[0] as string,
    gives: [],
    status: 'ok',
    sinceMs: 0,
    ...counters,
    ...part,
  };
}

it('prints a row for each source with its status and what went wrong, and names those without any data', () => {
  const text = printSummary({
    path: 'capture.ndjson.gz',
    reason: 'its time was over',
    bytes: 3 * 2 ** 20,
    counts: new Map([
      ['okx:trades', count({ connections: 2, frames: 17, dropped: 4 })],
      [
        'gate:tickers',
        count({
          requests: 9,
          answers: new Map([
            [200, 6],
            [503, 1],
          ]),
          failures: 2,
          lastFailure: 'connection refused',
        }),
      ],
      ['mexc:candles', count({ requests: 1 })],
    ]),
    health: [
      health('okx:trades', { status: 'stale', error: 'Nothing since a minute.' }),
      health('gate:tickers', {}),
      // Not requested yet, so it is not down.
      health('mexc:candles', { status: 'down', error: NO_ANSWER_YET }),
      health('dydx:trades', { status: 'down', error: 'connection refused' }),
    ],
    notRequested: ['farside:bitcoin-etf-flows'],
  });
  const rows = text.split('\n').map((line) => line.trim().split(/\s{2,}/));
  expect(rows.slice(0, 4)).toEqual([
    ['source', 'status', 'requests', 'answers', 'sockets', 'frames'],
    ['gate:tickers', 'ok', '9', '6', '-', '-', '1 × HTTP 503; 2 failed: connection refused'],
    ['mexc:candles', '-', '1', '-', '-', '-'],
    ['okx:trades', 'stale', '-', '-', '2', '17', '4 frames dropped: the disk was too slow'],
  ]);
  expect(text).toContain('Nothing was captured of dydx:trades.\n');
  expect(text).toContain(
    'farside:bitcoin-etf-flows: not requested: few requests allowed, name it with --venues.\n',
  );
  expect(text).toContain('capture.ndjson.gz has 3.0 MB; it ended because its time was over.');
});

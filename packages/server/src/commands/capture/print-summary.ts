import type { SourceHealth } from '@crosstape/core';
import type { SourceCount } from '../../capture/recorder.ts';
import { isIdle } from '../../topics.ts';
import { NOT_REQUESTED } from '../connectors.ts';
import { printTable } from '../print-table.ts';

const MEBIBYTE = 2 ** 20;

export interface CaptureSummary {
  readonly path: string;
  readonly reason: string;
  readonly bytes: number;
  /** By `venue:source`. */
  readonly counts: ReadonlyMap<string, SourceCount>;
  readonly health: readonly SourceHealth[];
  /** Sources that allow few requests. */
  readonly notRequested: readonly string[];
}

/** The contents of a capture, by source. */
export function printSummary({ path, reason, bytes, counts, health, notRequested }: CaptureSummary): string {
  const status = new Map(health.map((one) => [one.source, isIdle(one) ? '-' : one.status]));
  const sorted = [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const rows = sorted.map(([source, count]) => {
    const { requests, answers, failures, connections, frames, dropped } = count;
    const good = [...answers].filter(([code]) => code >= 200 && code < 300);
    const answered = good.reduce((sum, [, n]) => sum + n, 0);
    const others = [...answers].filter(([code]) => code < 200 || code >= 300);
    const problems = [
      ...others.map(([code, n]) => `${n} × HTTP ${code}`),
      ...(failures > 0 ? [`${failures} failed: ${count.lastFailure}`] : []),
      ...(dropped > 0 ? [`${dropped} frames dropped: the disk was too slow`] : []),
    ];
    const cells = [requests, answered, connections, frames].map((n) => (n === 0 ? '-' : String(n)));
    return [source, status.get(source) ?? '-', ...cells, problems.join('; ')];
  });
  const silent = health.filter(({ source }) => !counts.has(source)).map(({ source }) => source);
  const head = ['source', 'status', 'requests', 'answers', 'sockets', 'frames', ''];
  return [
    printTable([head, ...rows], new Set([2, 3, 4, 5])),
    '',
    ...(silent.length > 0 ? [`Nothing was captured of ${silent.join(', ')}.`] : []),
    ...notRequested.map((source) => `${source}: ${NOT_REQUESTED}.`),
    `${path} has ${(bytes / MEBIBYTE).toFixed(1)} MB; it ended because ${reason}.`,
    `Check it with: crosstape capture check ${path}`,
  ].join('\n');
}

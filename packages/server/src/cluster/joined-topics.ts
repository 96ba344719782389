import type { AuditState, SourceHealth } from '@crosstape/core';
import { DIFFERING_MAX } from '../features/audit/hourly-audit.ts';
import {
  auditStateTopic,
  auditTopic,
  type BackfillProgress,
  backfillTopic,
  bookTopic,
  candlesTopic,
  gapTopic,
  healthTopic,
  recordedMarketsTopic,
  tradeTopic,
  venuePrintTopic,
} from '../topics.ts';

type Join = (messages: readonly unknown[]) => unknown;

const healthPrefix = healthTopic('').name;
/** Topics that exist once per market, each published by one group. */
const marketPrefixes = [tradeTopic('').name, gapTopic('').name, bookTopic('').name];
/** Logs that several groups write. */
const sharedLogs: ReadonlySet<string> = new Set([venuePrintTopic.name, auditTopic.name]);

const joins: ReadonlyMap<string, Join> = new Map<string, Join>([
  [recordedMarketsTopic.name, (lists) => (lists as readonly unknown[][]).flat()],
  [candlesTopic.name, joinCandles as Join],
  [backfillTopic.name, joinBackfills as Join],
  [auditStateTopic.name, joinAudits as Join],
]);

/** How to join the newest messages of several groups; `undefined` for a topic of one group. */
export function joinOf(topic: string): Join | undefined {
  return topic.startsWith(healthPrefix) ? (joinHealths as Join) : joins.get(topic);
}

export function isSharedLog(topic: string): boolean {
  return sharedLogs.has(topic);
}

/** Whether a secondary group publishes the topic: those of its markets. */
export function isOfMarkets(topic: string): boolean {
  return joinOf(topic) !== undefined || isSharedLog(topic) || isOfMarket(topic);
}

function isOfMarket(topic: string): boolean {
  return marketPrefixes.some((prefix) => topic.startsWith(prefix));
}

/** Whether the topic is about a market of one of these venues, as named in market ids. */
export function isOfVenues(topic: string, venues: readonly string[]): boolean {
  return isOfMarket(topic) && venues.includes(topic.split(':', 2)[1] as string);
}

/** Two groups list the instruments of a venue; for each source the first group wins. */
function joinHealths(groups: readonly (readonly SourceHealth[])[]): readonly SourceHealth[] {
  const bySource = new Map<string, SourceHealth>();
  for (const health of groups.flat()) if (!bySource.has(health.source)) bySource.set(health.source, health);
  return [...bySource.values()];
}

function joinCandles(groups: readonly { readonly isCaughtUp: boolean }[]): { readonly isCaughtUp: boolean } {
  return { isCaughtUp: groups.every(({ isCaughtUp }) => isCaughtUp) };
}

function joinBackfills(groups: readonly BackfillProgress[]): BackfillProgress {
  const sum = (of: (one: BackfillProgress) => number): number =>
    groups.reduce((total, one) => total + of(one), 0);
  return {
    isDone: groups.every(({ isDone }) => isDone),
    marketsLeft: sum(({ marketsLeft }) => marketsLeft),
    requests: sum(({ requests }) => requests),
    histories: {
      isDone: groups.every(({ histories }) => histories.isDone),
      seriesLeft: sum(({ histories }) => histories.seriesLeft),
    },
  };
}

function joinAudits(groups: readonly AuditState[]): AuditState {
  const nextAtMs = groups.flatMap((one) => one.nextAtMs ?? []);
  return {
    checkedAtMs: Math.max(...groups.map(({ checkedAtMs }) => checkedAtMs)),
    ...(nextAtMs.length === groups.length && { nextAtMs: Math.min(...nextAtMs) }),
    counts: Object.assign({}, ...groups.map(({ counts }) => counts)) as AuditState['counts'],
    differing: groups
      .flatMap(({ differing }) => differing)
      .toSorted((a, b) => b.hour - a.hour)
      .slice(0, DIFFERING_MAX),
  };
}

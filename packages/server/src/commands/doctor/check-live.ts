import type { SourceHealth, TableName } from '@crosstape/core';
import { allPublishers, type Known } from '@crosstape/venues';
import { readSettings, readValue } from '../../settings/read-settings.ts';
import { integerSetting } from '../../settings/setting.ts';
import { freshMsOf, isIdle, snapshotTopic } from '../../topics.ts';
import type { Command } from '../command.ts';
import { type Connectors, NOT_REQUESTED, prepareConnectors } from '../connectors.ts';
import { splitFlags, venuesFlag } from '../own-flags.ts';
import { printTable } from '../print-table.ts';
import { type Finding, mark } from './finding.ts';
import { judgeFigures, type VenueFigures } from './judge-figures.ts';

const LOOK_EVERY_MS = 500;
/** Without any answer by then the network is assumed to be down: every source would only time out. */
const FIRST_ANSWER_MS_MAX = 15_000;
/**
 * Minimum tolerated age of a source that is polled every few seconds: its first answer can come over a slow connection.
 */
const AGE_MIN_MS = 120_000;
/** Share of malformed rows above which the wire format counts as changed. */
const REFUSED_SHARE_MAX = 0.05;

const flags = {
  seconds: integerSetting({
    name: 'seconds',
    flag: 'seconds',
    variable: '',
    fallback: 60,
    min: 5,
    max: 3_600,
    help: 'how long to wait for the slowest source',
  }),
  venues: venuesFlag,
};

/** Runs the connectors against the venues and prints one verdict per source and per figure. */
export const checkLive: Command['run'] = async (args, { environment, out, error, stopSignal }) => {
  const { own, rest } = splitFlags(args, Object.values(flags));
  const forMs = readValue(flags.seconds, own.get('seconds')) * 1_000;
  const only = readValue(flags.venues, own.get('venues'));
  const { settings } = readSettings(rest, environment, allPublishers);
  const stopping = stopSignal();
  const connectors = await prepareConnectors({ settings, only });
  try {
    await connectors.start();
    error(`Running ${connectors.publishers.length} publishers for up to ${forMs / 1_000} s.`);
    const { clock } = connectors;
    await answered(connectors, clock.now() + forMs, stopping);
    const health = connectors.health();
    if (health.every(({ lastGoodMs }) => lastGoodMs === undefined)) {
      out('No source can be reached. Check the network. Nothing was checked.');
      return 1;
    }
    const findings = [
      ...health.map((one) => judgeSource(one, connectors)),
      ...connectors.notRequested.map((what) => ({ what, verdict: 'warn' as const, detail: NOT_REQUESTED })),
      ...judgeFigures(tablesOf(connectors), clock.now()),
    ];
    out(printFindings(findings));
    const failed = findings.filter(({ verdict }) => verdict === 'fail').length;
    const open = findings.filter(({ verdict }) => verdict === 'warn').length;
    out(`\n${findings.length - failed - open} ok, ${open} with a warning, ${failed} failed`);
    return failed === 0 ? 0 : 1;
  } finally {
    await connectors.stop();
  }
};

/** Resolves when every source has answered, the time is over, no source answers at all, or on a signal. */
function answered(connectors: Connectors, untilMs: number, stopping: Promise<string>): Promise<void> {
  const { clock } = connectors;
  const startedMs = clock.now();
  return new Promise((resolve) => {
    const looking = clock.every(LOOK_EVERY_MS, () => {
      const all = connectors.health();
      const isUnreachable =
        clock.now() - startedMs > FIRST_ANSWER_MS_MAX &&
        all.every(({ lastGoodMs }) => lastGoodMs === undefined);
      const isDone = all.length > 0 && all.every(isDecided);
      if (isDone || isUnreachable || clock.now() >= untilMs) end();
    });
    const end = (): void => {
      looking.cancel();
      resolve();
    };
    void stopping.then(end);
  });
}

/** Whether its verdict is final. */
function isDecided({ status, lastGoodMs }: SourceHealth): boolean {
  return status === 'changed' || (status === 'ok' && lastGoodMs !== undefined);
}

function judgeSource(health: SourceHealth, connectors: Connectors): Finding {
  const { source: what, status, error = '', messages, refused, lastRefusal, lastGoodMs, notes = [] } = health;
  if (isIdle(health)) return { what, verdict: 'warn', detail: 'not polled during the check' };
  const remarks = [...(refused > 0 ? [`${refused} refused: ${lastRefusal}`] : []), ...notes];
  if (status !== 'ok')
    return { what, verdict: 'fail', detail: [`${status}: ${error}`, ...remarks].join('; ') };
  if (lastGoodMs === undefined)
    return { what, verdict: 'warn', detail: ['connected, no data yet', ...remarks].join('; ') };
  const { rows, ageMs, isOld } = freshness(health, connectors);
  const counted = rows === undefined ? `${messages} messages` : `${rows} rows`;
  const detail = [`${counted}, ${(ageMs / 1_000).toFixed(1)} s old`, ...remarks].join('; ');
  const isChanged = refused > REFUSED_SHARE_MAX * messages * (rows ?? 1);
  const verdict = isOld || isChanged ? 'fail' : remarks.length > 0 ? 'warn' : 'ok';
  return { what, verdict, detail: isOld ? `${detail}: older than its freshness limit` : detail };
}

interface Freshness {
  /** Rows of its tables; absent for a feed. */
  readonly rows?: number;
  readonly ageMs: number;
  readonly isOld: boolean;
}

function freshness({ venue, gives, lastGoodMs = 0 }: SourceHealth, { bus, clock }: Connectors): Freshness {
  const tables = gives.flatMap((name) => bus.latest(snapshotTopic(venue, name as TableName))?.message ?? []);
  if (tables.length === 0) return { ageMs: clock.now() - lastGoodMs, isOld: false };
  const ages = tables.map(({ fetchedAtMs }) => clock.now() - fetchedAtMs);
  return {
    rows: tables.reduce((sum, { rows }) => sum + rows.length, 0),
    ageMs: Math.max(...ages),
    isOld: tables.some((table, i) => (ages[i] ?? 0) > Math.max(AGE_MIN_MS, freshMsOf(table))),
  };
}

function tablesOf({ bus, publishers }: Connectors): readonly VenueFigures[] {
  return publishers.map(({ id, connector: { resources, lookups = [] } }) => {
    const names = [...resources, ...lookups].flatMap(({ gives }) => gives);
    const tables = names.map((name) => [name, bus.latest(snapshotTopic(id, name))?.message.rows ?? []]);
    return { venue: id, known: Object.fromEntries(tables) as Known };
  });
}

function printFindings(findings: readonly Finding[]): string {
  const rows = findings.map(({ what, verdict, detail }) => [mark(verdict), what, detail]);
  return printTable([['', 'source', ''], ...rows]);
}

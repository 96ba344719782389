import { join } from 'node:path';
import { allPublishers, primaryVenue } from '@crosstape/venues';
import { crashReports } from '../../platform/crash-report.ts';
import { createLog } from '../../platform/log.ts';
import { systemClock } from '../../platform/system-clock.ts';
import { readSettings } from '../../settings/read-settings.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Command } from '../command.ts';
import { flagHelp } from '../help.ts';
import { printTable } from '../print-table.ts';
import type { SourceCheck } from './check-sources.ts';
import type { DiskNeed } from './estimate-disk.ts';
import { type Finding, mark } from './finding.ts';

const NODE_MIN = [20, 19] as const;
const CLOCK_WARN_MS = 2_000;
const CLOCK_FAIL_MS = 60_000;
/** Name of the error of a damaged store, whose module is loaded only if needed. */
const DAMAGED = 'DamagedStoreError';

const help = `Takes the same flags and variables as serve. Checks settings, Node, data folder, Redis (if configured), clock, every
source, and the estimated disk space. Can be run while the service is running.

--live runs every connector against its venue instead, without a store: one verdict for each source (answered, in a
form that is understood, fresh), the trades, order book, candles and past trades of each venue's markets among them, and
for the figures of each venue compared with the others.
  --seconds (60)  how long to wait for the slowest source
  --venues (all)  ids of venues and other sources; the primary venue is always part of it, sources that allow few
                  requests only if they are named

Exit codes: 0 ok (possibly with warnings), 1 a check failed, 2 a setting is invalid.

Examples:
  crosstape doctor
  crosstape doctor --data ./tape --retention-days 30 --record-coins BTC,ETH
  crosstape doctor --redis redis://127.0.0.1:6379
  crosstape doctor --live --venues bybit,okx

`;

/** Whether the service would work on this machine. */
export const doctor: Command = {
  name: 'doctor',
  summary: 'check settings, store, clock, sources and disk space',
  help: () => help + flagHelp(),
  async run(args, terminal) {
    if (args.includes('--live')) {
      const { checkLive } = await import('./check-live.ts');
      return checkLive(
        args.filter((arg) => arg !== '--live'),
        terminal,
      );
    }
    const { environment, out } = terminal;
    const { settings, rows } = readSettings(args, environment, allPublishers);
    const changed = rows.filter(({ origin }) => origin !== 'default');
    const names = changed.map(({ setting }) => setting.variable).join(', ');
    const findings: Finding[] = [
      checkNode(process.versions.node),
      {
        what: 'settings',
        verdict: 'ok',
        detail: changed.length === 0 ? 'all defaults' : `given: ${names}`,
      },
    ];
    const { checkStore } = await import('./check-store.ts');
    const isSim = settings.upstream === 'sim';
    const tenant = isSim ? `sim/${settings.seed}` : 'live';
    const store = await checkStore(settings.data, tenant);
    findings.push(...store.findings);

    if (settings.redis !== undefined) {
      const { checkRedis } = await import('./check-redis.ts');
      findings.push(...(await checkRedis(settings.redis)));
    }

    const [crash] = crashReports(settings.data);
    if (crash !== undefined)
      findings.push({
        what: 'last crash',
        verdict: 'warn',
        detail: `see ${join(settings.data, crash)}, and remove it when you are done`,
      });

    const sources = await askSources(settings, isSim);
    findings.push(
      checkClock(sources),
      ...checkPrimary(sources, settings, environment.NODE_ENV === 'production'),
    );
    const failing = sources.filter(({ rest, socket }) => !rest.isOk || !socket.isOk);
    findings.push({
      what: 'sources',
      verdict: failing.length === 0 ? 'ok' : 'warn',
      detail:
        failing.length === 0
          ? `all ${sources.length} answer`
          : `${failing.length} of ${sources.length} do not: ${failing.map(({ id }) => id).join(', ')}`,
    });
    const { assumeTrades, estimateDisk } = await import('./estimate-disk.ts');
    const measured = store.isRecorded
      ? await readNeed(join(settings.data, tenant), settings).catch((error: Error) => {
          const isDamaged = error.name === DAMAGED;
          const detail = isDamaged
            ? error.message
            : `${join(settings.data, tenant)} cannot be read: ${error.message}`;
          findings.push({ what: 'record', verdict: isDamaged ? 'fail' : 'warn', detail });
          return undefined;
        })
      : undefined;
    const need = measured ?? assumeTrades(settings.recordCoins);
    findings.push(estimateDisk(need, settings, store.freeBytes));

    out(printSources(sources));
    out('');
    out(
      printTable([
        ['', '', ''],
        ...findings.map(({ what, verdict, detail }) => [mark(verdict), what, detail]),
      ]).trim(),
    );
    return findings.some(({ verdict }) => verdict === 'fail') ? 1 : 0;
  },
};

async function askSources(settings: Settings, isSim: boolean): Promise<readonly SourceCheck[]> {
  const { configuredPublishers } = await import('../../roles/configured-publishers.ts');
  const { chooseUpstream, originsOf } = await import('../../upstream.ts');
  const { checkSources } = await import('./check-sources.ts');
  const upstream = await chooseUpstream({
    settings: { ...settings, upstream: isSim ? 'sim' : 'live' },
    primary: primaryVenue,
    isProduction: false,
    log: createLog({ level: 'silent' }),
  });
  try {
    return await checkSources({
      publishers: configuredPublishers(settings),
      originsOf: (one) => originsOf(upstream, settings, one),
      clock: systemClock,
      ...(isSim ? {} : { proxy: settings.proxy }),
    });
  } finally {
    await upstream.stop();
  }
}

async function readNeed(folder: string, settings: Settings): Promise<DiskNeed | undefined> {
  const { openLmdb } = await import('../../store/open-lmdb.ts');
  const { TickTable } = await import('../../features/tape/tick-table.ts');
  const { isRecordedBy } = await import('../../features/tape/is-recorded-by.ts');
  const { measureTrades } = await import('./estimate-disk.ts');
  const store = await openLmdb(folder, { isReadOnly: true });
  try {
    return await measureTrades(new TickTable(store), isRecordedBy(settings.recordCoins), systemClock.now());
  } finally {
    await store.close();
  }
}

export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isOk = major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1]);
  const detail = isOk ? version : `${version}, but ${NODE_MIN.join('.')} or later is needed`;
  return { what: 'Node', verdict: isOk ? 'ok' : 'fail', detail };
}

/** Compares our clock with the median of the sources'. */
export function checkClock(sources: readonly Pick<SourceCheck, 'rest'>[]): Finding {
  const what = 'clock';
  const reported = sources.flatMap(({ rest: { aheadMs } }) => aheadMs ?? []).toSorted((a, b) => a - b);
  const middle = reported[Math.floor(reported.length / 2)];
  if (middle === undefined) return { what, verdict: 'warn', detail: 'not known: no source sent the time' };
  const off = Math.abs(middle);
  const verdict = off > CLOCK_FAIL_MS ? 'fail' : off > CLOCK_WARN_MS ? 'warn' : 'ok';
  const words = `${(off / 1_000).toFixed(1)} s ${middle > 0 ? 'ahead of' : 'behind'} the ${reported.length} sources that sent the time`;
  return { what, verdict, detail: verdict === 'ok' ? words : `${words}: set it, by NTP for example` };
}

function checkPrimary(
  sources: readonly SourceCheck[],
  { upstream }: Settings,
  isProduction: boolean,
): readonly Finding[] {
  const primary = sources.find(({ id }) => id === primaryVenue.id);
  if (!primary || (primary.rest.isOk && primary.socket.isOk)) return [];
  const what = 'primary venue';
  return upstream === 'live' || isProduction
    ? [{ what, verdict: 'fail', detail: `${primary.name} cannot be reached: there would be no tape` }]
    : [
        {
          what,
          verdict: 'warn',
          detail: `${primary.name} cannot be reached: a start would serve simulated data`,
        },
      ];
}

function printSources(sources: readonly SourceCheck[]): string {
  const rows = sources.map(({ id, rest, socket }) => [
    mark(rest.isOk && socket.isOk ? 'ok' : 'warn'),
    id,
    rest.words,
    socket.words,
  ]);
  return printTable([['', 'source', 'requests', 'sockets'], ...rows]);
}

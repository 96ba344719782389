import { allPublishers } from '@crosstape/venues';
import { CrashReporter } from '../platform/crash-report.ts';
import { createLog } from '../platform/log.ts';
import { PlainLog } from '../platform/plain-log.ts';
import { systemClock } from '../platform/system-clock.ts';
import { keepHeapsSmall } from '../platform/heap-flags.ts';
import { openSystemMemory } from '../platform/system-memory.ts';
import { readSettings, UsageError } from '../settings/read-settings.ts';
import { secretsOf } from '../settings/secrets.ts';
import type { Settings } from '../settings/settings.ts';
import { venuesProblem } from '../settings/venues-setting.ts';
import { banner, readyLine } from './banner.ts';
import type { Command } from './command.ts';
import { flagHelp } from './help.ts';

const examples = `Examples:
  crosstape
  crosstape serve --port 8081 --data ./tape --retention-days 30
  crosstape serve --upstream sim --seed 42`;

export const serve: Command = {
  name: 'serve',
  summary: 'run the service (the default)',
  help: () => `${examples}\n\n${flagHelp()}`,
  async run(args, { environment, out, stopSignal, stdout, stderr }) {
    const resolved = readSettings(args, environment, allPublishers);
    const { settings, rows } = resolved;
    refuseRoleAlone(settings);
    const problem = venuesProblem(settings);
    if (problem !== undefined) throw new UsageError(problem);
    keepHeapsSmall();
    const secrets = secretsOf(resolved, allPublishers);
    const recentLines: string[] = [];
    const isPlain = settings.logFormat === 'auto' ? stderr.isTTY : settings.logFormat === 'plain';
    const plain = new PlainLog({
      clock: systemClock,
      write: (text) => void stderr.write(text),
      hasColours: stderr.isTTY && !environment.NO_COLOR,
      isVerbose: settings.log === 'debug',
    });
    const log = createLog({ level: settings.log, secrets, recentLines, ...(isPlain && { to: plain }) });
    if (settings.redis !== undefined && settings.recordMarkets === 'primary')
      log.info({}, 'only markets of the primary venue are recorded; --record-markets adds others');
    const given = rows.filter(({ origin, setting }) => origin !== 'default' && !setting.isSecret);
    const crashes = new CrashReporter({
      folder: settings.data,
      secrets,
      settings: Object.fromEntries(given.map(({ setting, value }) => [setting.variable, value])),
      recentLines,
    });
    crashes.watchProcess();
    // Registered first, so that a signal during the start does not kill the process.
    const stopping = stopSignal();
    const starting = new AbortController();
    void stopping.then((signal) => starting.abort(new Error(`received ${signal} during startup`)));
    const memory = await openSystemMemory();
    // Before threads start.
    memory?.limitArenas();
    // Loaded here: other commands do not need it, and start faster.
    const { startService } = await import('../service.ts');
    const service = await startService({
      settings,
      log,
      isProduction: environment.NODE_ENV === 'production',
      signal: starting.signal,
      onThreadCrash: (error) => void crashes.write(error, 'ingest thread'),
      ...(memory && { memory }),
    }).catch((error: unknown) => {
      if (!starting.signal.aborted) throw error;
      log.info({ err: error }, 'stopped before it had started');
    });
    if (!service) return 0;
    out(stdout.isTTY && settings.logFormat !== 'json' ? banner(service) : readyLine(service));
    const signal = await stopping;
    log.info({ signal }, 'stopping');
    await service.stop();
    return 0;
  },
};

function refuseRoleAlone({ redis, role }: Settings): void {
  if (redis === undefined && role !== 'all') throw new UsageError(`--role ${role} requires --redis`);
}

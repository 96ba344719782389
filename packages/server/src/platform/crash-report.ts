import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stdSerializers } from 'pino';
import { maskOf } from './log.ts';
import { version } from './product.ts';
import { systemClock } from './system-clock.ts';

/** The newest reports that are kept. */
const REPORTS_MAX = 5;
const REPORT_NAME = /^crash-.*\.json$/;

export interface CrashReportOptions {
  /** Where reports are written. */
  readonly folder: string;
  /** Values that must not be in a report. */
  readonly secrets: readonly string[];
  /** Settings that differ from their defaults, secret ones excepted. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** The last lines of the log. */
  readonly recentLines: readonly string[];
}

/** Writes a readable report of a crash into the data folder. Synchronous: the process may be about to end. */
export class CrashReporter {
  readonly #options: CrashReportOptions;

  constructor(options: CrashReportOptions) {
    this.#options = options;
  }

  /** From now on an error that nothing catches leaves a report before it ends the process. */
  watchProcess(): void {
    process.on('uncaughtExceptionMonitor', (error) => {
      const path = this.write(error, 'main thread');
      process.stderr.write(`crosstape crashed; ${path ? `see ${path}` : 'no report could be written'}\n`);
    });
  }

  /** Returns the path of the report; `undefined` when it could not be written. */
  write(error: unknown, where: string): string | undefined {
    const { folder, secrets, settings, recentLines } = this.#options;
    const at = new Date(systemClock.now()).toISOString();
    const report = {
      crosstape: version,
      node: process.version,
      platform: `${process.platform} ${process.arch}`,
      at,
      uptimeSeconds: Math.round(process.uptime()),
      where,
      error: error instanceof Error ? stdSerializers.err(error) : String(error),
      memory: process.memoryUsage(),
      settings,
      recentLog: recentLines.map(readLine),
    };
    const path = join(folder, `crash-${at.replaceAll(/[:.]/g, '-')}.json`);
    try {
      mkdirSync(folder, { recursive: true });
      writeFileSync(path, maskOf(secrets)(`${JSON.stringify(report, undefined, 2)}\n`));
      for (const old of crashReports(folder).slice(REPORTS_MAX)) rmSync(join(folder, old));
      return path;
    } catch {
      return undefined;
    }
  }
}

/** Names of the reports in a folder, the newest first. */
export function crashReports(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => REPORT_NAME.test(name))
      .toSorted()
      .toReversed();
  } catch {
    return [];
  }
}

function readLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}

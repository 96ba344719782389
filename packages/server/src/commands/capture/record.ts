import { type Clock, MINUTE_MS } from '@crosstape/core';
import { allPublishers } from '@crosstape/venues';
import { CaptureFile } from '../../capture/capture-file.ts';
import { CAPTURE_FORMAT } from '../../capture/format.ts';
import { CaptureRecorder } from '../../capture/recorder.ts';
import { Redactor } from '../../capture/redact.ts';
import { version } from '../../platform/product.ts';
import { readSettings, readValue, UsageError } from '../../settings/read-settings.ts';
import { secretsOf } from '../../settings/secrets.ts';
import { integerSetting, type Setting, textSetting } from '../../settings/setting.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Command } from '../command.ts';
import { type Connectors, prepareConnectors } from '../connectors.ts';
import { splitFlags, venuesFlag } from '../own-flags.ts';
import { printSummary } from './print-summary.ts';

const MEBIBYTE = 2 ** 20;
const WATCH_EVERY_MS = 500;

const flags = {
  minutes: {
    name: 'minutes',
    flag: 'minutes',
    variable: '',
    fallback: 5,
    allowed: 'a number above 0 and up to 1440',
    help: 'duration in minutes',
    read: (text) => (Number(text) > 0 && Number(text) <= 1_440 ? Number(text) : undefined),
  } satisfies Setting<number>,
  out: textSetting({
    name: 'out',
    flag: 'out',
    variable: '',
    fallback: 'capture.ndjson.gz',
    help: 'file to write',
  }),
  venues: venuesFlag,
  maxMb: integerSetting({
    name: 'maxMb',
    flag: 'max-mb',
    variable: '',
    fallback: 2_048,
    min: 1,
    max: 1_000_000,
    help: 'largest size of the file',
  }),
};

/** Records all traffic between the connectors and the venues. */
export const record: Command['run'] = async (args, terminal) => {
  const { own, rest } = splitFlags(args, Object.values(flags));
  const path = readValue(flags.out, own.get('out'));
  const only = readValue(flags.venues, own.get('venues'));
  const forMs = readValue(flags.minutes, own.get('minutes')) * MINUTE_MS;
  const bytesMax = readValue(flags.maxMb, own.get('max-mb')) * MEBIBYTE;
  const resolved = readSettings(rest, terminal.environment, allPublishers);
  const { settings } = resolved;
  const redactor = new Redactor(secretsOf(resolved, allPublishers));
  // Registered first, so that a signal during the start ends the file in order.
  const stopping = terminal.stopSignal();
  const connectors = await prepareConnectors({ settings, only });
  try {
    const { clock, publishers, notRequested } = connectors;
    const file = await createFile({ path, clock, settings, publishers });
    const recorder = new CaptureRecorder({ file, clock, redactor });
    await connectors.start(recorder);
    const about = `${publishers.length} publishers to ${path} for ${forMs / 1_000} s`;
    terminal.error(`Capturing ${about}. Ctrl-C ends it earlier.`);
    const reason = await ended({ file, clock, untilMs: clock.now() + forMs, bytesMax, stopping });
    const health = connectors.health();
    recorder.end();
    await connectors.stop();
    await file.write({ t: clock.now(), type: 'end', reason });
    await file.close();
    terminal.out(
      printSummary({ path, reason, bytes: file.bytes, counts: recorder.counts, health, notRequested }),
    );
    return 0;
  } finally {
    await connectors.stop();
  }
};

interface FileParts extends Pick<Connectors, 'clock' | 'publishers'> {
  readonly path: string;
  readonly settings: Settings;
}

function createFile({ path, clock, settings, publishers }: FileParts): Promise<CaptureFile> {
  const startedAtMs = clock.now();
  const header = {
    capture: CAPTURE_FORMAT,
    crosstape: version,
    upstream: settings.upstream === 'sim' ? 'sim' : 'live',
    startedAtMs,
    startedAt: new Date(startedAtMs).toISOString(),
    venues: publishers.map(({ id }) => id),
  };
  return CaptureFile.create({ path, clock }, header).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST'
      ? new UsageError(`${path} exists already; name another file with --out`)
      : error;
  });
}

interface EndOptions {
  readonly file: CaptureFile;
  readonly clock: Clock;
  readonly untilMs: number;
  readonly bytesMax: number;
  readonly stopping: Promise<string>;
}

/** Resolves with the reason to end; rejects when the file cannot be written. */
function ended({ file, clock, untilMs, bytesMax, stopping }: EndOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const watching = clock.every(WATCH_EVERY_MS, () => {
      if (file.bytes >= bytesMax) end(`the file has ${Math.round(bytesMax / MEBIBYTE)} MB`);
      else if (clock.now() >= untilMs) end('the time is over');
    });
    const end = (reason: string): void => {
      watching.cancel();
      resolve(reason);
    };
    void stopping.then(() => end('it was interrupted'));
    file.written.catch((error: unknown) => {
      watching.cancel();
      reject(error instanceof Error ? error : new Error(String(error)));
    });
  });
}

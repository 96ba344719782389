import { UsageError } from '../../settings/read-settings.ts';
import type { Command } from '../command.ts';

/** Loaded on demand: they import the whole store. */
const parts: Readonly<Record<string, () => Promise<Command['run']>>> = {
  status: async () => (await import('./show-archive.ts')).showArchive,
  seal: async () => (await import('./seal-archive.ts')).sealArchive,
  verify: async () => (await import('./check-archive.ts')).checkArchive,
  restore: async () => (await import('./restore-archive.ts')).restoreArchive,
};

const help = `Sealed days in a folder or an S3-compatible bucket (ARCHIVE). Which archive, for all of them:
  --archive (ARCHIVE)                   a folder, or s3://bucket/prefix; default: the one that the record belongs to
  --archive-endpoint (ARCHIVE_ENDPOINT) address of an S3-compatible store; default: AWS
  Keys come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, the region from AWS_REGION.
Whose record: --data, --upstream and --seed, as for crosstape ticks.

crosstape archive status [--json]
  Lists what is archived by day, and pending days. Safe while a service runs.

crosstape archive seal
  Seals every day that is over, now. The service must not be running on this folder (a running service does this by itself).

crosstape archive verify [--json]
  Reads every archived file and compares it with what was sealed. What is damaged is reported (exit code 1), and a
  service no longer serves it as complete. A day that the store still has is sealed again by the next round.

crosstape archive restore
  Enters what the archive lists into a record that does not know it, with its gaps: on a new machine, or after the loss
  of the data folder. Trades stay in the archive and are read from there. No service may hold the folder.

Examples:
  crosstape archive status --upstream live
  crosstape archive verify --archive s3://my-bucket/crosstape --archive-endpoint https://s3.example.com
  crosstape archive restore --data /var/lib/crosstape --upstream live --archive /mnt/archive`;

/** Permanently stored days. */
export const archive: Command = {
  name: 'archive',
  summary: 'show, seal, verify or restore archived days',
  help: () => help,
  async run([word, ...args], terminal) {
    const part = word === undefined ? undefined : parts[word];
    if (part) return (await part())(args, terminal);
    const words = Object.keys(parts).join(', ');
    throw new UsageError(
      `archive needs one of ${words}${word === undefined ? '' : `, not ${word}`}; see crosstape help archive`,
    );
  },
};

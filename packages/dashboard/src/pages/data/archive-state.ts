import { compact } from '../../format/numbers.ts';

interface ArchiveTotals {
  readonly archive?: string;
  readonly waitingDays?: number;
  readonly totalFiles?: number;
  readonly totalBytes?: number;
}

/** Whether the days of a market are archived, and how much they are. */
export function archiveState({
  archive,
  waitingDays = 0,
  totalFiles = 0,
  totalBytes = 0,
}: ArchiveTotals): string {
  const sum = `${compact(totalFiles, 0)} files, ${bytesText(totalBytes)}`;
  if (archive === 'failing')
    return `Cannot write to the archive; ${waitingDays} days are waiting in the store. ${sum}.`;
  return archive === 'ok'
    ? `Archived. ${sum}.`
    : `No archive configured: days are deleted after the store's retention. ${sum}.`;
}

/** Of one day of a market. */
export function dayState({ complete, archived }: { complete: boolean; archived: boolean }): string {
  return `${complete ? 'complete' : 'has gaps'}${archived ? ', archived' : ''}`;
}

/** `14.2 MB`. */
export function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${(bytes / 1_000 ** step).toFixed(step === 0 ? 0 : 1)} ${units[step]}`;
}

import { UsageError } from '../../settings/read-settings.ts';

const ISO = /^(\d{4})-(\d\d)-(\d\d)(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/;

/** Parses the time of a flag, in ms: `1760000000000`, `2026-11-14` (UTC) or `2026-11-14T10:00:00Z`. */
export function readTime(flag: string, text: string): number {
  const ms = /^\d{1,15}$/.test(text) ? Number(text) : readIso(text);
  if (ms === undefined) {
    throw new UsageError(
      `--${flag} must be milliseconds, a date, or a date and time with its zone (2026-11-14T10:00:00Z), not "${text}"`,
    );
  }
  return ms;
}

function readIso(text: string): number | undefined {
  const [, year, month, day] = ISO.exec(text) ?? [];
  // Date.parse accepts the 31st of any month.
  const daysOfMonth = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  const ms = Date.parse(text);
  return day === undefined || Number(day) > daysOfMonth || !(ms >= 0) ? undefined : ms;
}

/** The time zone of all times: UTC, or the reader's own. */
export type Zone = 'UTC' | 'local';

/** Formats times; the last result is cached, because rows of a tape mostly have the same second. */
function writer(options: Intl.DateTimeFormatOptions): (ms: number, zone: Zone) => string {
  const own = { ...options, hourCycle: 'h23' } as const;
  const formats = {
    UTC: new Intl.DateTimeFormat('en-GB', { ...own, timeZone: 'UTC' }),
    local: new Intl.DateTimeFormat('en-GB', own),
  };
  let last: { readonly second: number; readonly zone: Zone; readonly text: string } | undefined;
  return (ms, zone) => {
    const second = Math.floor(ms / 1_000);
    if (last?.second !== second || last.zone !== zone)
      last = { second, zone, text: formats[zone].format(ms) };
    return last.text;
  };
}

export const clockTime = writer({ hour: '2-digit', minute: '2-digit', second: '2-digit' });
export const minuteTime = writer({ hour: '2-digit', minute: '2-digit' });
export const day = writer({ day: '2-digit', month: 'short' });
export const dayAndTime = writer({ day: '2-digit', month: 'short', hour: '2-digit', minute: '2-digit' });

/** `3s`, `12m`, `5h`, `2d`. */
export function age(ms: number | undefined): string {
  if (ms === undefined || !Number.isFinite(ms)) return '';
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 100) return `${seconds}s`;
  if (seconds < 6_000) return `${Math.round(seconds / 60)}m`;
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)}h`;
  return `${Math.round(seconds / 86_400)}d`;
}

const DAY_SECONDS = 86_400;

/** Time left: `0:41`, `5:07:41`; from two days on `3d`. */
export function countdown(ms: number | undefined): string {
  if (ms === undefined || !Number.isFinite(ms)) return '–';
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds >= 2 * DAY_SECONDS) return `${Math.floor(seconds / DAY_SECONDS)}d`;
  const two = (part: number): string => String(part).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  const tail = two(seconds % 60);
  return hours > 0 ? `${hours}:${two(minutes)}:${tail}` : `${minutes}:${tail}`;
}

/** Where times are told: the zone of the tape, or that of the reader. */
export type Zone = 'UTC' | 'local';

const formats = new Map<string, Intl.DateTimeFormat>();

function print(ms: number, zone: Zone, options: Intl.DateTimeFormatOptions): string {
  const key = zone + JSON.stringify(options);
  const zoned = { ...options, hourCycle: 'h23', ...(zone === 'UTC' && { timeZone: 'UTC' }) } as const;
  const known = formats.get(key) ?? new Intl.DateTimeFormat('en-GB', zoned);
  formats.set(key, known);
  return known.format(ms);
}

export function clockTime(ms: number, zone: Zone): string {
  return print(ms, zone, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
}

export function minuteTime(ms: number, zone: Zone): string {
  return print(ms, zone, { hour: '2-digit', minute: '2-digit' });
}

export function day(ms: number, zone: Zone): string {
  return print(ms, zone, { day: '2-digit', month: 'short' });
}

export function dayAndTime(ms: number, zone: Zone): string {
  return print(ms, zone, { day: '2-digit', month: 'short', hour: '2-digit', minute: '2-digit' });
}

/** `3s`, `12m`, `5h`, `2d`. */
export function age(ms: number | undefined): string {
  if (ms === undefined || !Number.isFinite(ms)) return '';
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 100) return `${seconds}s`;
  if (seconds < 6_000) return `${Math.round(seconds / 60)}m`;
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)}h`;
  return `${Math.round(seconds / 86_400)}d`;
}

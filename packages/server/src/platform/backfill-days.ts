/** How many days of the venues' own candles are requested, by interval; 0: none. */
export interface BackfillDays {
  readonly '1h': number;
  readonly '1m': number;
}

const DAYS_MAX = 3_650;

/** Reads `BACKFILL`: `off`, or days of hours and minutes such as `1h:365,1m:30`; `undefined` for anything else. */
export function readBackfill(text: string): BackfillDays | undefined {
  if (text === 'off') return { '1h': 0, '1m': 0 };
  const days = { '1h': 0, '1m': 0 };
  const seen = new Set<string>();
  for (const part of text.split(',')) {
    const [, interval = '', count = ''] = /^(1h|1m):(\d{1,4})$/.exec(part.trim()) ?? [];
    if (interval === '' || seen.has(interval) || Number(count) > DAYS_MAX) return undefined;
    seen.add(interval);
    days[interval as keyof BackfillDays] = Number(count);
  }
  return days;
}

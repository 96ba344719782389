import { DAY_MS } from '@crosstape/core';
import { systemClock } from '../../platform/system-clock.ts';
import { readValue } from '../../settings/read-settings.ts';
import { settingsFor } from '../../settings/settings.ts';
import type { Terminal } from '../command.ts';

/** Imported data are kept only as long as recorded ones. */
export function warnOfRetention(firstTs: number, { environment, error }: Terminal): void {
  const setting = settingsFor([]).find(({ name }) => name === 'retentionDays');
  if (!setting) return;
  const days = Number(readValue(setting, environment[setting.variable] || undefined));
  const keptFromMs = systemClock.now() - days * DAY_MS;
  if (firstTs >= keptFromMs) return;
  const edge = new Date(keptFromMs).toISOString();
  error(
    `the service keeps ${days} days: trades from before ${edge} will be deleted soon after it starts, unless ${setting.variable} is larger`,
  );
}

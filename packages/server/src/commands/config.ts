import { allPublishers } from '@crosstape/venues';
import { readSettings, type ResolvedSetting } from '../settings/read-settings.ts';
import type { Command } from './command.ts';

const help = `Takes the same flags and variables as the service itself.

Examples:
  crosstape config
  crosstape config --port 8081 | grep flag`;

export const config: Command = {
  name: 'config',
  summary: 'print every setting, its value and its origin; secrets are masked',
  help: () => help,
  async run(args, { environment, out }) {
    out(printSettings(readSettings(args, environment, allPublishers).rows));
    return 0;
  },
};

/** The rows of `crosstape config`: flag, value, origin; secrets masked. */
export function printSettings(rows: readonly ResolvedSetting[]): string {
  const cells = rows.map(({ setting, value, origin }) => [
    `--${setting.flag}`,
    setting.variable,
    show(value, setting.isSecret === true),
    origin,
  ]);
  const table = [['flag', 'variable', 'value', 'origin'], ...cells];
  const widths = [0, 1, 2].map((column) => Math.max(...table.map((row) => (row[column] as string).length)));
  return table
    .map((row) => row.map((cell, i) => (i < 3 ? cell.padEnd(widths[i] as number) : cell)).join('  '))
    .join('\n');
}

function show(value: unknown, isSecret: boolean): string {
  if (value === undefined) return '(unset)';
  if (isSecret) return '********';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

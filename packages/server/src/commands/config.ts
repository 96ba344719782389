import { allPublishers } from '@crosstape/venues';
import { printSettings } from '../settings/print-settings.ts';
import { readSettings } from '../settings/read-settings.ts';
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

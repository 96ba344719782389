import { version } from '../platform/product.ts';
import type { Command } from './command.ts';

export const versionCommand: Command = {
  name: 'version',
  summary: 'print the version',
  help: () => 'Examples:\n  crosstape version\n  crosstape --version',
  async run(_args, { out }) {
    out(version);
    return 0;
  },
};

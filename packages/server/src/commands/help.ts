import { allPublishers } from '@crosstape/venues';
import { UsageError } from '../settings/read-settings.ts';
import { settingsFor } from '../settings/settings.ts';
import type { Command } from './command.ts';

/** The help needs the list of which it is itself a part. */
export function helpFor(commands: () => readonly Command[]): Command {
  return {
    name: 'help',
    summary: 'this text, or that of one command: crosstape help sim',
    help: () => 'Examples:\n  crosstape help\n  crosstape help ticks\n  crosstape ticks --help',
    async run([name], { out }) {
      const one = commands().find((command) => command.name === name);
      if (name !== undefined && !one)
        throw new UsageError(`unknown command ${name}; crosstape help lists them all`);
      out(one ? `crosstape ${one.name}: ${one.summary}\n\n${one.help()}` : overview(commands()));
      return 0;
    },
  };
}

function overview(commands: readonly Command[]): string {
  const width = Math.max(...commands.map((command) => command.name.length));
  const lines = commands.map((command) => `  ${command.name.padEnd(width)}  ${command.summary}`);
  return `Use: crosstape [command] [flags]\n\nCommands (serve, unless told otherwise):\n${lines.join('\n')}\n\n${flagHelp()}`;
}

/** Every setting with its variable, default and meaning. */
export function flagHelp(): string {
  const lines = settingsFor(allPublishers).map(({ flag, variable, fallback, help, allowed }) => {
    const standard = fallback === undefined ? 'unset' : JSON.stringify(fallback).replaceAll('"', '');
    return `  --${flag} (${variable}; ${standard})\n      ${help}: ${allowed}`;
  });
  return `Settings, as a flag or a variable, with their defaults:\n${lines.join('\n')}`;
}

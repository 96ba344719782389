import { allPublishers, type Publisher } from '@crosstape/venues';
import { didYouMean } from '../settings/closest-name.ts';
import { UsageError } from '../settings/read-settings.ts';
import { settingsFor } from '../settings/settings.ts';
import type { Command } from './command.ts';

/** Settings in the overview; `crosstape help all` has the others. */
const common = ['port', 'host', 'upstream', 'data', 'redis', 'role', 'quota', 'log', 'log-format'];

/** A function, because the help is part of the list itself. */
export function helpFor(commands: () => readonly Command[]): Command {
  return {
    name: 'help',
    summary: 'show help: overview, one command (crosstape help sim) or all settings (help all)',
    help: () => 'Examples:\n  crosstape help\n  crosstape help ticks\n  crosstape ticks --help',
    async run([name], { out }) {
      const one = commands().find((command) => command.name === name);
      if (name !== undefined && name !== 'all' && !one) throw unknownCommand(name, commands());
      if (one) out(`crosstape ${one.name}: ${one.summary}\n\n${one.help()}`);
      else
        out(name === 'all' ? `${overview(commands())}\n\n${flagHelp(allPublishers)}` : overview(commands()));
      return 0;
    },
  };
}

function overview(commands: readonly Command[]): string {
  const width = Math.max(...commands.map((command) => command.name.length));
  const lines = commands.map((command) => `  ${command.name.padEnd(width)}  ${command.summary}`);
  const settings = settingsFor([]).filter(({ flag }) => common.includes(flag));
  const flagWidth = Math.max(...settings.map(({ flag }) => flag.length));
  const flags = settings.map(
    ({ flag, variable, help }) => `  --${flag.padEnd(flagWidth)}  ${help} (${variable})`,
  );
  return [
    'Usage: crosstape [command] [flags]',
    `Commands (default: serve):\n${lines.join('\n')}`,
    `Settings, as a flag or a variable:\n${flags.join('\n')}`,
    'crosstape help all lists every setting, venue addresses included.',
  ].join('\n\n');
}

export function unknownCommand(name: string, commands: readonly Command[]): UsageError {
  const names = commands.map((command) => command.name);
  return new UsageError(`unknown command ${name};${didYouMean(name, names)} run crosstape help for a list`);
}

/** Settings with their variable, default and description; the addresses of publishers only if given. */
export function flagHelp(publishers: readonly Publisher[] = []): string {
  const lines = settingsFor(publishers).map(({ flag, variable, fallback, help, allowed }) => {
    const standard = fallback === undefined ? 'unset' : JSON.stringify(fallback).replaceAll('"', '');
    return `  --${flag} (${variable}; ${standard})\n      ${help}: ${allowed}`;
  });
  return `Settings, as a flag or a variable, with their defaults:\n${lines.join('\n')}`;
}

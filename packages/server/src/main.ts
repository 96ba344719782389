import { commands, defaultCommand } from './commands/index.ts';
import type { Terminal } from './commands/command.ts';
import { UsageError } from './settings/read-settings.ts';

const USAGE_EXIT = 2;

const terminal: Terminal = {
  environment: process.env,
  out: (text) => void process.stdout.write(`${text}\n`),
  error: (text) => void process.stderr.write(`${text}\n`),
  stdout: process.stdout,
  stderr: process.stderr,
  stopSignal: () =>
    new Promise((resolve) => {
      let isStopping = false;
      for (const signal of ['SIGTERM', 'SIGINT'] as const) {
        process.on(signal, () => {
          // Who asks twice does not want to wait.
          if (isStopping) process.exit(1);
          isStopping = true;
          resolve(signal);
        });
      }
    }),
};

const words: Readonly<Record<string, string>> = {
  '--help': 'help',
  '-h': 'help',
  '--version': 'version',
  '-v': 'version',
};

async function main([first, ...rest]: readonly string[]): Promise<number> {
  if (first === undefined) return defaultCommand.run([], terminal);
  const word = words[first] ?? first;
  const command = commands.find(({ name }) => name === word);
  if (command) return command.run(rest, terminal);
  if (first.startsWith('-')) return defaultCommand.run([first, ...rest], terminal);
  throw new UsageError(`unknown command ${first}; crosstape help lists them all`);
}

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: unknown) => {
    terminal.error(`crosstape: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(error instanceof UsageError ? USAGE_EXIT : 1);
  },
);

import { commands, defaultCommand } from './commands/index.ts';
import type { Command, Terminal } from './commands/command.ts';
import { escapeControls } from './commands/plain-text.ts';
import { UsageError } from './settings/read-settings.ts';

const USAGE_EXIT = 2;

const terminal: Terminal = {
  environment: process.env,
  out: (text) => void process.stdout.write(`${text}\n`),
  error: (text) => void process.stderr.write(`${escapeControls(text)}\n`),
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
  if (command) return runOrHelp(command, rest);
  if (first.startsWith('-')) return runOrHelp(defaultCommand, [first, ...rest]);
  throw new UsageError(`unknown command ${first}; crosstape help lists them all`);
}

async function runOrHelp(command: Command, args: readonly string[]): Promise<number> {
  const help = args.some((arg) => words[arg] === 'help') && commands.find(({ name }) => name === 'help');
  return help ? help.run([command.name], terminal) : command.run(args, terminal);
}

/** Whoever reads us may have seen enough (`| head`): then there is nobody left to write for. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  terminal.error(`crosstape: ${error.message}`);
  process.exit(1);
});

/** Nobody hears the rest of what we say of the work: that is no reason to leave it half done. */
process.stderr.on('error', () => {});

/** Waits for whoever reads slowly: what is still on its way would be lost with the process. */
async function exit(code: number): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) {
    await new Promise<void>((resolve) => void stream.write('', () => resolve()));
  }
  process.exit(code);
}

main(process.argv.slice(2)).then(exit, (error: unknown) => {
  terminal.error(`crosstape: ${error instanceof Error ? error.message : String(error)}`);
  return exit(error instanceof UsageError ? USAGE_EXIT : 1);
});

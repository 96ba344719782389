import { commands, defaultCommand } from './commands/index.ts';
import type { Command, Terminal } from './commands/command.ts';
import { escapeControls } from './platform/plain-text.ts';
import { unknownCommand } from './commands/help.ts';
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
          // A second signal ends the program at once.
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
  throw unknownCommand(first, commands);
}

async function runOrHelp(command: Command, args: readonly string[]): Promise<number> {
  const help = args.some((arg) => words[arg] === 'help') && commands.find(({ name }) => name === 'help');
  return help
    ? help.run([args.includes('all') ? 'all' : command.name], terminal)
    : command.run(args, terminal);
}

/** The reader may have closed the pipe (`| head`). */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  terminal.error(`crosstape: ${error.message}`);
  process.exit(1);
});

/** A closed stderr is no reason to leave the work half done. */
process.stderr.on('error', () => {});

/** Waits for slow readers: unwritten output would be lost with the process. */
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

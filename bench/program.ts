import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What `npm start` runs. */
export const program = fileURLToPath(new URL('../packages/server/bin/crosstape.js', import.meta.url));
/** Flags of Node that `npm start` has. */
export const nodeFlags = ['--max-semi-space-size=4', '--single-threaded-gc'] as const;

export interface StartedProgram {
  readonly child: ChildProcess;
  /** The address that it has printed. */
  readonly url: string;
}

/** Starts a command of the built program, and resolves once it has printed its address. */
export async function startProgram(
  args: readonly string[],
  options: { readonly node?: readonly string[]; readonly hasMessages?: boolean } = {},
): Promise<StartedProgram> {
  const { node = [], hasMessages = false } = options;
  const child = spawn(process.execPath, [...node, program, ...args], {
    stdio: ['ignore', 'pipe', 'inherit', ...(hasMessages ? (['ipc'] as const) : [])],
  });
  // A bench that fails leaves nothing running.
  process.once('exit', () => child.kill());
  const url = await new Promise<string>((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (part: Buffer) => {
      text += part.toString();
      const found = /http:\/\/[\w.]+:\d+/.exec(text)?.[0];
      if (found === undefined) return;
      child.stdout?.removeAllListeners('data').resume();
      resolve(found);
    });
    child.once('exit', () => reject(new Error(`${args.join(' ')} ended: ${text}`)));
  });
  return { child, url };
}

export async function endProgram({ child }: Pick<StartedProgram, 'child'>): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

/** Resolves when the service is ready: it listens before. */
export async function untilReady(url: string): Promise<void> {
  while (!(await fetch(`${url}/readyz`)).ok) await new Promise((resolve) => setTimeout(resolve, 500));
}

/** In MB, as the kernel counts it: all of it, and pages of files. */
export function residentMb({ pid }: ChildProcess): { readonly rss: number; readonly file: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const field = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1_024;
  return { rss: field('VmRSS'), file: field('RssFile') };
}

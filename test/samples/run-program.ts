import { spawn } from 'node:child_process';
import { vi } from 'vitest';

const WAIT_MS = 90_000;

export interface ProgramOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Of one that does not end by itself: how much must have been said before it is ended. */
  readonly linesEnough?: number;
}

/** Runs a program to its end, or until it has said enough; gives what it said. Throws when it fails. */
export async function runProgram(options: ProgramOptions): Promise<string> {
  const { command, args, cwd, environment, linesEnough } = options;
  const child = spawn(command, args, {
    cwd,
    env: { PATH: process.env.PATH ?? '', ...environment },
    detached: true,
  });
  let out = '';
  let error = '';
  let exit: number | null | undefined;
  child.stdout.on('data', (part: Buffer) => {
    out += part.toString();
  });
  child.stderr.on('data', (part: Buffer) => {
    error += part.toString();
  });
  child.on('close', (code) => {
    exit = code;
  });
  const hasSaidEnough = (): boolean => linesEnough !== undefined && out.split('\n').length > linesEnough;
  const end = (): void => {
    // With whatever it has started itself.
    if (exit === undefined && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  };
  try {
    await vi.waitUntil(() => exit !== undefined || hasSaidEnough(), { timeout: WAIT_MS, interval: 20 });
    if (!hasSaidEnough() && (exit !== 0 || linesEnough !== undefined)) {
      throw new Error(`ended with ${exit}: ${error.slice(-2_000)} ${out.slice(-2_000)}`);
    }
    return out;
  } catch (cause) {
    throw new Error(`${(cause as Error).message} ${error.slice(-1_000)}`, { cause });
  } finally {
    end();
    await vi.waitUntil(() => exit !== undefined, { timeout: 10_000 });
  }
}

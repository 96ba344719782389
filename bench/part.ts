import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Starts a file of this folder as a separate process, which must not fail; objects reach it as JSON. */
export function start(file: string, ...orders: readonly (string | object)[]): ChildProcess {
  const args = orders.map((order) => (typeof order === 'string' ? order : JSON.stringify(order)));
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child = fork(path, args, { execArgv: [...process.execArgv, '--expose-gc'] });
  child.once('exit', (code) => {
    if (code !== 0) throw new Error(`${file} ended with ${code}`);
  });
  return child;
}

/** The next thing that it says. */
export async function answer<Message>(child: ChildProcess): Promise<Message> {
  const [message] = (await once(child, 'message')) as [Message];
  return message;
}

/** The middle value; the upper one of two. NaN for an empty list. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Prints whether a figure keeps its bound, and ends the program with 1 where it does not. */
export function judge(what: string, value: number, bound: number, unit = '×'): void {
  // What could not be measured is no number, and keeps no bound.
  const isKept = value <= bound;
  const verdict = isKept ? 'holds' : 'MISSED';
  console.log(`${what}: ${value.toFixed(2)} ${unit} (at most ${bound} ${unit}): ${verdict}`);
  if (!isKept) process.exitCode = 1;
}

export function quantile(sorted: readonly number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

/** From sending to arrival of each message that has both times, shortest first. */
export function delaysOf(
  arrivedAtMs: readonly number[],
  sentAtMs: readonly number[],
  from = 0,
): readonly number[] {
  return arrivedAtMs
    .map((atMs, i) => atMs - (sentAtMs[i] ?? Number.NaN))
    .slice(from)
    .filter((delayMs) => Number.isFinite(delayMs))
    .toSorted((a, b) => a - b);
}

/** Runs the cases in turn, round by round, so that a slower machine slows all of them. */
export async function inTurns<Name extends string, Case, Round>(
  cases: Readonly<Record<Name, Case>>,
  rounds: number,
  run: (one: Case) => Promise<Round>,
): Promise<Record<Name, Round[]>> {
  const names = Object.keys(cases) as Name[];
  const results = Object.fromEntries(names.map((name) => [name, [] as Round[]])) as Record<Name, Round[]>;
  for (let n = 0; n < rounds; n += 1) for (const name of names) results[name].push(await run(cases[name]));
  return results;
}

/** The median of each of these figures over the rounds. */
export function medians<Figure extends string>(
  rounds: readonly Readonly<Record<Figure, number>>[],
  figures: readonly Figure[],
): Record<Figure, number> {
  return Object.fromEntries(
    figures.map((figure) => [figure, median(rounds.map((round) => round[figure]))]),
  ) as Record<Figure, number>;
}

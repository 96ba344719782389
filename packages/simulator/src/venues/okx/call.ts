import type { Question, Reply, WireLimit, WireRoute } from '../wire.ts';

const SPAN_MS = 2000;

/** A call with a limit of its own, per IP [M, N]. */
export interface Call {
  readonly path: string;
  /** In two seconds. */
  readonly max: number;
  readonly answer: (question: Question) => Reply | Promise<Reply>;
}

export function routesOf(calls: readonly Call[]): readonly WireRoute[] {
  return calls.map(({ path, answer }) => ({ path, costs: () => ({ [path]: 1 }), answer }));
}

export function limitsOf(calls: readonly Call[]): readonly WireLimit[] {
  return calls.map(({ path, max }) => ({ name: path, spanMs: SPAN_MS, max }));
}

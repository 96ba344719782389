import type { TickColumns } from '../ticks/tick-columns.ts';
import type { BarRow } from './bar-columns.ts';
import type { OpenBar } from './open-bar.ts';
import type { Scale } from './scale.ts';

/** The spec of a build: every parameter, defaults included, in the declaration order of its kind. */
export interface BarSpec {
  readonly kind: string;
  readonly params: Readonly<Record<string, number | string>>;
  /** The price increment. */
  readonly tick: number;
}

/** A parameter as plain data: checks, documentation and schemas are derived from it. Without a default it is required. */
export type BarParam =
  | {
      readonly name: string;
      readonly description: string;
      readonly type: 'integer';
      readonly min: number;
      readonly max: number;
      readonly default?: number;
    }
  | {
      readonly name: string;
      readonly description: string;
      readonly type: 'number';
      /** Exclusive lower bound. */
      readonly above: number;
      readonly default?: number;
    }
  | {
      readonly name: string;
      readonly description: string;
      readonly type: 'choice';
      readonly choices: readonly string[];
      readonly default?: string;
    };

/**
 * A kind of bar. It defines only where bars end: opening prices, sums and extremes are the same for all kinds and kept
 * by the builder. To add a kind, write one file like those in `kinds/` and add one line to `kinds/index.ts`.
 */
export interface BarKind {
  readonly name: string;
  readonly summary: string;
  readonly params: readonly BarParam[];
  /** Names of the additional numbers of its bars. */
  readonly extras?: readonly string[];
  /** State of the rule beyond the open bar: the range of each integer. */
  readonly memory?: readonly { readonly min: number; readonly max: number }[];
  createRule(spec: BarSpec): BarRule;
}

/** The columns that a rule reads. */
export type RuleTicks = Pick<TickColumns, 'ts' | 'price' | 'size' | 'isBuy'>;

export interface BarRule {
  /** Called before the first trade and whenever the decimals change: sets thresholds. */
  rescale(scale: Scale): void;
  /**
   * Returns how many of the trades [from, to), `from < to`, belong to the open bar: those before the returned index. If
   * the bar ends there, sets `bar.isClosed`. The bar holds the trades before `from`; the first trade of an empty bar
   * always belongs to it. `memory` (one number per declared one, initially 0) is the rule's state.
   */
  scan(bar: OpenBar, ticks: RuleTicks, from: number, to: number, memory: Float64Array): number;
  /** Overrides fields of a bar, closed or open. */
  finish?(row: BarRow, memory: Float64Array): void;
}

/** A parameter that is a number. */
export function numberParam(spec: BarSpec, name: string): number {
  const value = spec.params[name];
  if (typeof value !== 'number') throw new TypeError(`${spec.kind} bars have no number ${name}`);
  return value;
}

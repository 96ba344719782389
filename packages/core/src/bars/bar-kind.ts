import type { TickColumns } from '../ticks/tick-columns.ts';
import type { BarRow } from './bar-columns.ts';
import type { OpenBar } from './open-bar.ts';
import type { Scale } from './scale.ts';

/** What is built: every parameter, defaults included, in the declaration order of its kind. */
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
      /** The least number that is too small. */
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
 * A kind of bar. It says only where bars end: opening prices, sums and extremes are the same for all kinds and kept
 * by the builder. To add a kind, write one file like those in `kinds/` and add one line to `kinds/index.ts`.
 */
export interface BarKind {
  readonly name: string;
  readonly summary: string;
  readonly params: readonly BarParam[];
  /** Names of the numbers that its bars carry beyond the usual ones. */
  readonly extras?: readonly string[];
  /** What the rule must remember beyond the open bar: the range of each whole number. */
  readonly memory?: readonly { readonly min: number; readonly max: number }[];
  createRule(spec: BarSpec): BarRule;
}

/** The trades that a rule looks at. */
export type RuleTicks = Pick<TickColumns, 'ts' | 'price' | 'size' | 'isBuy'>;

export interface BarRule {
  /** Called before the first trade and whenever trades come with other decimals: thresholds are set here. */
  rescale(scale: Scale): void;
  /**
   * Says which of the trades [from, to) belong to the open bar, `from < to`: those before the returned index. Where
   * the bar ends there, `bar.isClosed` is set. The bar holds the trades before `from`; the very first trade of an
   * empty bar always belongs to it. `memory` (one number per declared one, 0 at first) is the rule's to change.
   */
  scan(bar: OpenBar, ticks: RuleTicks, from: number, to: number, memory: Float64Array): number;
  /** Puts right what this kind says differently about a bar, closed or still open. */
  finish?(row: BarRow, memory: Float64Array): void;
}

/** A parameter of a spec that is known to be a number. */
export function numberParam(spec: BarSpec, name: string): number {
  const value = spec.params[name];
  if (typeof value !== 'number') throw new TypeError(`${spec.kind} bars have no number ${name}`);
  return value;
}

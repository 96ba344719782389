import { toBase64 } from '../base64.ts';
import { type Bar, barAt } from './bar-columns.ts';
import type { BarSpec } from './bar-kind.ts';
import type { BuildStats, ResultPack } from './result-pack.ts';

/** A finished build as JSON. */
export interface BuildResult extends BarSpec {
  readonly coin: string;
  readonly bars: readonly Bar[];
  readonly open: Bar | null;
  /** The builder's state in base64. */
  readonly state: string;
  readonly stats: BuildStats;
}

/** The shortest bar as JSON: a length limit can reject a pack by its count alone. */
export const BAR_JSON_BYTES_MIN = 188;

export function barsToJson({ coin, spec, bars, open, state, stats }: ResultPack): BuildResult {
  return {
    coin,
    ...spec,
    bars: Array.from({ length: bars.length }, (_, position) => barAt(bars, position)),
    open,
    state: toBase64(state),
    stats,
  };
}

import type { BarKind } from '../bar-kind.ts';
import { deltaBar } from './delta-bar.ts';
import { pnfBar } from './pnf-bar.ts';
import { rangeBar } from './range-bar.ts';
import { tickBar } from './tick-bar.ts';
import { timeBar } from './time-bar.ts';
import { trendReversalBar } from './trend-reversal-bar.ts';
import { volumeBar } from './volume-bar.ts';

/** Every kind of bar that can be built. */
export const barKinds: readonly BarKind[] = [
  timeBar,
  tickBar,
  volumeBar,
  rangeBar,
  deltaBar,
  trendReversalBar,
  pnfBar,
];

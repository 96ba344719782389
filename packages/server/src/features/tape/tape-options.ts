import type { Clock, Trade } from '@crosstape/core';
import type { TapeGap } from './tape-gap.ts';

export interface TapeOptions {
  readonly venue: string;
  readonly clock: Clock;
  /** Called once for each trade, in the order of its coin's tape. */
  readonly release: (trade: Trade) => void;
  readonly onGap: (gap: TapeGap) => void;
  /** The time beyond which a venue time is in the future: our clock's, unless the venues agree that it is behind. */
  readonly nowMs?: () => number;
  /** Trades of these coins may be missing: subscribe to them again, so that their back-fill shows it. */
  readonly onSuspected?: (coins: readonly string[]) => void;
  /** Time of the previous process's last received message; absent if nothing was ever recorded. */
  readonly lastRecordedMs?: number;
}

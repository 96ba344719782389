import type { Order, Report } from '../live/topic.ts';
import type { ReplayStatus, ReplayStep } from './replay-player.ts';

/** Speeds of a replay, as times of the real one. */
export const speeds = [1, 2, 5, 10, 25, 50, 100] as const;

/** Begins a replay, in place of the previous one. */
export interface OpenOrder {
  readonly op: 'open';
  /** Names the replay: its reports carry it, so that late ones of another are not taken for its own. */
  readonly run: number;
  readonly startMs: number;
  readonly speed: number;
  readonly isPlaying: boolean;
}

/** From a tab to its replay. */
export type ReplayOrder =
  | Order
  /** Comes first. */
  | OpenOrder
  | { readonly op: 'play' }
  | { readonly op: 'pause' }
  | { readonly op: 'speed'; readonly speed: number }
  | { readonly op: 'step'; readonly step: ReplayStep }
  /** Continues behind the gap that was reached last. */
  | { readonly op: 'skip' };

/** From a replay to its tab. */
export type ReplayReport = { readonly run: number } & (
  | Report
  | { readonly status: ReplayStatus }
  /** It has to begin again there. */
  | { readonly jumpMs: number }
);

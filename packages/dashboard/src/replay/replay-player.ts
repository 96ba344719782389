import type { systemClock } from '@crosstape/client';
import { candleIntervalsMs, intervalStart } from '@crosstape/client/bars';
import type { Topic, Update } from '../live/topic.ts';
import { ChartBars } from './chart-bars.ts';
import type { RecordedWindows, TapeGap } from './recorded-windows.ts';
import type { ReplayClock } from './replay-clock.ts';

type Clock = typeof systemClock;

/** A part of the record that is missing. */
export interface RecordGap {
  readonly from: number;
  readonly to: number;
  readonly reason: string;
}

/** Where a replay is. */
export interface ReplayStatus {
  readonly nowMs: number;
  readonly speed: number;
  /** Whether it plays, or continues to as soon as everything is loaded. */
  readonly isPlaying: boolean;
  readonly state: 'playing' | 'paused' | 'loading' | 'ended';
  /** The gap that was reached last; of several, the one that can be skipped first. */
  readonly gap?: RecordGap | undefined;
  /** Whether every tape that is followed is in a gap. */
  readonly canSkip: boolean;
  /** Why the last step failed. */
  readonly problem?: string | undefined;
}

export type ReplayStep = 'trade' | 'bar' | 'trade-back' | 'bar-back';

const TICK_MS = 50;
/** A bar that ends later is not played through: the replay begins again there. */
const PLAYED_MAX_MS = 3_600_000;
/** Trades that are played in search of the end of a bar. */
const TRADES_MAX = 50_000;
/** Trades before yielding to others. */
const TURN_TRADES = 500;

interface ReplayPlayerOptions {
  readonly system: Clock;
  readonly clock: ReplayClock;
  readonly windows: RecordedWindows;
  readonly send: (status: ReplayStatus) => void;
  /** Called where the replay has to begin again: at an earlier time, or far ahead. */
  readonly onJump: (toMs: number) => void;
}

/** Plays, pauses and steps a replay, and reports where it is. */
export class ReplayPlayer {
  readonly #options: ReplayPlayerOptions;
  readonly #ticking: { cancel(): void };
  readonly #chart = new ChartBars();
  #isStepping = false;
  /** The newest step that was requested during another one. */
  #waiting: ReplayStep | undefined;
  #isLoading = true;
  #problem: string | undefined;
  #sent = '';

  constructor(options: ReplayPlayerOptions) {
    this.#options = options;
    this.#ticking = options.system.every(TICK_MS, () => this.#tick());
  }

  play(): void {
    this.#problem = undefined;
    this.#waiting = undefined;
    this.#options.clock.isPlaying = true;
    this.#report();
  }

  pause(): void {
    this.#options.clock.isPlaying = false;
    this.#report();
  }

  setSpeed(speed: number): void {
    this.#options.clock.speed = speed;
    this.#report();
  }

  /** Ends it: it does not move any more. */
  close(): void {
    this.#ticking.cancel();
    this.#waiting = undefined;
    this.#options.clock.isPlaying = false;
  }

  /** Moves by a trade or a bar and pauses. Of steps during another one, the newest follows it. */
  async step(step: ReplayStep): Promise<void> {
    if (this.#isStepping) {
      this.#waiting = step;
      return;
    }
    await this.#move(async () => {
      this.pause();
      await this.#options.clock.settled();
      if (step === 'trade') await this.#stepTrades(() => true);
      else if (step === 'bar') await this.#stepBar();
      else if (step === 'trade-back') await this.#stepBack();
      else this.#stepBarBack();
    });
    const next = this.#waiting;
    this.#waiting = undefined;
    if (next !== undefined) await this.step(next);
  }

  /** Begins again where the first of the followed tapes continues, if all of them are in a gap. */
  leaveGap(): Promise<void> {
    return this.#move(async () => {
      const { clock, windows, onJump } = this.#options;
      const gaps = this.#gapsToSkip();
      if (gaps.length === 0) return;
      let endMs = Infinity;
      for (const { name, gap } of gaps) {
        // A gap ends at its known end, or later.
        if (gap.to >= endMs) break;
        endMs = Math.min(endMs, (await windows.endOfGap(name, gap)) ?? Infinity);
      }
      if (endMs > clock.endMs) throw new Error('No data recorded after this gap yet.');
      // The replay may have reached it meanwhile.
      if (endMs > clock.now()) onJump(endMs);
    });
  }

  /** The gaps that are being played, if every tape is in one; that of the earliest end first. */
  #gapsToSkip(): readonly TapeGap[] {
    const { clock, windows } = this.#options;
    const open = windows.gaps().filter(({ gap }) => gap.to > clock.now());
    return open.length < windows.tapes ? [] : open.toSorted((a, b) => a.gap.to - b.gap.to);
  }

  async #move(move: () => Promise<void>): Promise<void> {
    if (this.#isStepping) return;
    this.#isStepping = true;
    this.#problem = undefined;
    try {
      await move();
    } catch (error) {
      this.#problem = (error as Error).message;
    } finally {
      this.#isStepping = false;
      this.#report();
    }
  }

  /** Takes that a topic is followed: of bars, the last one is the chart. */
  follow(topic: Topic): void {
    this.#chart.follow(topic);
  }

  /** Records where the bars of a topic end. */
  note(topic: Topic, update: Omit<Update, 'atMs' | 'state'>): void {
    this.#chart.note(topic, update);
  }

  #tick(): void {
    const { clock } = this.#options;
    // Readers that the last tick woke are done by now, except those that load something.
    this.#isLoading = clock.isWorking;
    clock.tick();
    this.#report();
  }

  async #stepTrades(isDone: () => boolean): Promise<void> {
    const { clock, system } = this.#options;
    for (let trades = 1; trades <= TRADES_MAX; trades += 1) {
      await clock.settled();
      const next = clock.next();
      if (!next) return;
      if (next.ts > clock.endMs) {
        clock.moveTo(clock.endMs);
        return;
      }
      clock.moveTo(next.ts);
      await clock.settled();
      if (next.awaited === 'trade' && isDone()) return;
      if (trades % TURN_TRADES === 0) await new Promise<void>((resolve) => system.after(0, resolve));
    }
  }

  /** To the last moment of the bar in progress, or of the next one; other than candles, until one closes. */
  async #stepBar(): Promise<void> {
    const { clock, onJump } = this.#options;
    const { spec, closed } = this.#chart;
    if (!spec) return undefined;
    if (!('interval' in spec)) return this.#stepTrades(() => this.#chart.closed > closed);
    const intervalMs = candleIntervalsMs[spec.interval];
    const endMs = intervalStart(clock.now() + 1, intervalMs) + intervalMs - 1;
    if (endMs - clock.now() > PLAYED_MAX_MS && endMs < clock.endMs) return onJump(endMs);
    clock.moveTo(endMs);
    return undefined;
  }

  async #stepBack(): Promise<void> {
    const { clock, windows, onJump } = this.#options;
    // The trade that was shown last is taken back: the time is that of the previous one.
    const lastTs = await windows.before(clock.now() + 1);
    const toMs = lastTs === undefined ? undefined : await windows.before(lastTs);
    if (toMs === undefined) throw new Error('No trade recorded shortly before this.');
    onJump(toMs);
  }

  /** To the last moment before the newest bar began. */
  #stepBarBack(): void {
    const { newestTs } = this.#chart;
    if (newestTs !== undefined) this.#options.onJump(newestTs - 1);
  }

  #report(): void {
    const { clock, windows, send } = this.#options;
    const { isPlaying, speed } = clock;
    const [first] = this.#gapsToSkip();
    const last = windows
      .gaps()
      .reduce<TapeGap | undefined>((a, b) => (a && a.gap.to >= b.gap.to ? a : b), undefined);
    const shown = (first ?? last)?.gap;
    const isLoading = this.#isLoading || this.#isStepping;
    const moving = isPlaying ? 'playing' : 'paused';
    const state = isLoading ? 'loading' : clock.hasEnded ? 'ended' : moving;
    const status = {
      nowMs: clock.now(),
      speed,
      isPlaying,
      state,
      gap: shown && { from: shown.from, to: shown.to, reason: shown.reason ?? 'not recorded' },
      canSkip: first !== undefined,
      problem: this.#problem,
    } as const;
    const text = JSON.stringify(status);
    if (text === this.#sent) return;
    this.#sent = text;
    send(status);
  }
}

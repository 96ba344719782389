import { systemClock } from '@crosstape/client';
import { chime } from '../../alerts/chime.ts';
import { Kept } from '../../frame/kept.svelte.ts';

interface Settings {
  /** Prints from this size on are large. */
  readonly largeUsd: number;
  readonly isLoud: boolean;
}

const LARGE_USD = 100_000;
/** Prints that arrive faster share a sound. */
const SOUND_EVERY_MS = 400;

function isSettings(value: unknown): value is Settings {
  if (typeof value !== 'object' || value === null) return false;
  const { largeUsd, isLoud } = value as Record<string, unknown>;
  return Number.isFinite(largeUsd) && (largeUsd as number) > 0 && typeof isLoud === 'boolean';
}

/** The large-print threshold of this browser, and whether it plays a sound (default: no). */
class TapeSettings {
  readonly #kept = new Kept<Settings>('tape', { largeUsd: LARGE_USD, isLoud: false }, isSettings);
  #soundedMs = 0;

  get largeUsd(): number {
    return this.#kept.value.largeUsd;
  }

  set largeUsd(largeUsd: number) {
    if (largeUsd > 0 && Number.isFinite(largeUsd)) this.#kept.value = { ...this.#kept.value, largeUsd };
  }

  get isLoud(): boolean {
    return this.#kept.value.isLoud;
  }

  set isLoud(isLoud: boolean) {
    this.#kept.value = { ...this.#kept.value, isLoud };
    // A browser plays sounds only after a click, and this is one.
    if (isLoud) chime('rising');
  }

  /** Plays a sound for a large print: rising for a buy, falling for a sell. */
  sound(side: 'buy' | 'sell'): void {
    const nowMs = systemClock.now();
    if (!this.isLoud || nowMs - this.#soundedMs < SOUND_EVERY_MS) return;
    this.#soundedMs = nowMs;
    chime(side === 'buy' ? 'rising' : 'falling');
  }
}

export const tapeSettings = new TapeSettings();

import { systemClock } from '@crosstape/client';
import { untrack } from 'svelte';
import { dayAndTime } from '../../../format/times.ts';
import { preferences } from '../../../frame/preferences.svelte.ts';
import { rest, type Source } from '../../../live/reading.svelte.ts';
import { replay } from '../../../replay/replay.svelte.ts';
import type { Indicator } from '../indicator.ts';
import { kindOf, parseChoice } from '../indicator-choice.ts';
import { RECORDED_MAX, recordedInterval } from '../recorded-interval.ts';
import { depthLines, imbalanceLine, type KnownDepth, withNewer } from './depth-lines.ts';
import { type ByVenueReading, type ByVenueTarget, stateText } from './target.ts';

const DEPTH = 'bookdepth';
const IMBALANCE = 'bookimbalance';
const NEWEST_EVERY_MS = 60_000;
const NEWEST_POINTS = 10;
const PAST_EVERY_MS = 600_000;
const MINUTE_MS = 60_000;
/** A point is valid for this many of its intervals: single minutes may be missing. */
const HELD_INTERVALS = 3;

const none: KnownDepth = { points: [], heldMs: 0 };

/** Recorded depth of the order book of a coin on the primary venue. */
export class DepthReading implements ByVenueReading {
  readonly #target: () => ByVenueTarget;
  readonly #past = rest('/orderbook/depth', () => this.#pastQuery, PAST_EVERY_MS);
  readonly #newest = rest('/orderbook/depth', () => this.#newestQuery, NEWEST_EVERY_MS);
  #known: KnownDepth = none;

  constructor(target: () => ByVenueTarget) {
    this.#target = target;
    const named = $derived(`${target().coin} ${replay.isOn}`);
    $effect(() => {
      if (named) this.#known = none;
    });
    $effect(() => {
      const { data } = this.#past;
      const newest = this.#newest.data;
      // Current data stay while older ones are loaded.
      if (!data) return;
      const heldMs = HELD_INTERVALS * Math.max(MINUTE_MS, data.cadenceMs);
      this.#known = { points: withNewer(data.points, newest?.points ?? []), heldMs };
      untrack(() => {
        for (const name of this.#texts) this.#target().chart?.refreshIndicator(name);
      });
    });
  }

  get sources(): readonly Source[] {
    return [this.#past, this.#newest].filter(({ topic }) => topic !== undefined);
  }

  readonly #state = $derived.by(() => {
    if (replay.isOn) return ' · not shown in a replay';
    const { data } = this.#past;
    const empty = data?.points.length === 0 ? 'not recorded for this coin or time' : undefined;
    const state = stateText(this.sources, data !== undefined, empty);
    if (state !== '' || data?.recordingSince === undefined) return state;
    return `, recorded since ${dayAndTime(data.recordingSince, preferences.zone)}`;
  });

  readonly indicators = $derived.by((): readonly Indicator[] =>
    this.#texts.map((name) => {
      const { kind, within: percent = 1 } = parseChoice(name) ?? { kind: '' };
      const { coin } = this.#target();
      const known = (): KnownDepth => this.#known;
      const where = `within ${percent}% of the mid, ${coin} on Hyperliquid`;
      return kind === DEPTH
        ? depthLines({ name, percent, known, title: `Book depth ${where}, $${this.#state}` })
        : imbalanceLine({ name, percent, known, title: `Book imbalance ${where}${this.#state}` });
    }),
  );

  /** Indicators of this reading that are shown, with their settings. */
  get #texts(): readonly string[] {
    return this.#target().names.filter((text) => [DEPTH, IMBALANCE].includes(kindOf(text)));
  }

  get #isWanted(): boolean {
    return this.#texts.length > 0 && this.#target().firstTs > 0 && !replay.isOn;
  }

  get #pastQuery() {
    const { coin, firstTs } = this.#target();
    if (!this.#isWanted) return undefined;
    const { interval, lengthMs } = recordedInterval(firstTs, systemClock.now());
    const start = Math.max(0, Math.floor(firstTs / lengthMs) * lengthMs);
    return { coin, interval, start, limit: RECORDED_MAX };
  }

  get #newestQuery() {
    return this.#isWanted ? { coin: this.#target().coin, limit: NEWEST_POINTS } : undefined;
  }
}

import type { Bar } from '../../live/topic.ts';

/** How complete the tape is below a bar; `venue`: the venue's own candle, from before the tape. */
export type BarState = 'complete' | 'refilled' | 'partial' | 'missing' | 'venue';

/** An interval of the tape with one state. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly state: BarState;
}

/** How much of a time has a state. */
export interface Share {
  readonly state: BarState;
  readonly share: number;
}

const worse: readonly BarState[] = ['venue', 'complete', 'refilled', 'partial', 'missing'];

/** The worst state within each bar. Where the state of a time is unknown, the bar's `complete` decides. */
export function statesOf(bars: readonly Bar[], stretches: readonly Stretch[]): readonly BarState[] {
  let at = 0;
  return bars.map(({ openTs, closeTs, complete, fromVenue }) => {
    if (fromVenue === true) return 'venue';
    let state: BarState = complete ? 'complete' : 'partial';
    let isKnown = false;
    while ((stretches[at]?.to ?? Infinity) <= openTs) at += 1;
    for (let i = at; (stretches[i]?.from ?? Infinity) <= closeTs; i += 1) {
      const { state: other } = stretches[i] as Stretch;
      state = isKnown && worse.indexOf(other) < worse.indexOf(state) ? state : other;
      isKnown = true;
    }
    return state;
  });
}

/** Shares of each state in the time from the first of these bars to the last. */
export function sharesOf(bars: readonly Bar[], stretches: readonly Stretch[]): readonly Share[] {
  const ms: Record<BarState, number> = { complete: 0, refilled: 0, partial: 0, missing: 0, venue: 0 };
  const untilTs = stretches.at(-1)?.to ?? 0;
  let at = 0;
  for (const [i, { openTs, closeTs, complete, fromVenue }] of bars.entries()) {
    // Up to the next bar: where trades are missing there may be no bar. The one in progress ends now.
    const endTs = bars[i + 1]?.openTs ?? Math.min(closeTs + 1, untilTs > openTs ? untilTs : Infinity);
    const own = fromVenue === true ? 'venue' : complete ? 'complete' : 'partial';
    let unknownMs = endTs - openTs;
    while ((stretches[at]?.to ?? Infinity) <= openTs) at += 1;
    for (let j = at; own !== 'venue' && (stretches[j]?.from ?? Infinity) < endTs; j += 1) {
      const { from, to, state } = stretches[j] as Stretch;
      const knownMs = Math.min(to, endTs) - Math.max(from, openTs);
      ms[state] += knownMs;
      unknownMs -= knownMs;
    }
    ms[own] += unknownMs;
  }
  const wholeMs = Object.values(ms).reduce((sum, one) => sum + one, 0);
  const states = Object.keys(ms) as BarState[];
  return states.flatMap((state) => (ms[state] > 0 ? [{ state, share: ms[state] / wholeMs }] : []));
}

/**
 * The service reports everything before its record as missing. Where the venue's candles lead up to the record, that
 * time is theirs, also within the first bar of the record.
 */
export function sinceRecord(bars: readonly Bar[], stretches: readonly Stretch[]): readonly Stretch[] {
  const [first, ...others] = stretches;
  const begin = bars.findIndex(({ fromVenue }) => fromVenue !== true);
  const isBefore = first?.state === 'missing' && begin > 0 && first.to <= bars[begin]!.closeTs + 1;
  return isBefore ? [{ ...first, state: 'venue' }, ...others] : stretches;
}

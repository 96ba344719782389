import type { Bar } from '../../live/topic.ts';

/** How complete the tape is below a bar; `venue`: the venue's own candle, from before the tape. */
export type BarState = 'complete' | 'refilled' | 'partial' | 'missing' | 'venue';

/** An interval of the tape with one state. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly state: Exclude<BarState, 'venue'>;
}

const worse: readonly BarState[] = ['venue', 'complete', 'refilled', 'partial', 'missing'];

/** The worst state within each bar. Where nothing is known of a time, whether the bar is complete decides. */
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

/** Shares of the time that stretches cover, of each state that there is. */
export function sharesOf(
  stretches: readonly Stretch[],
): readonly { readonly state: BarState; readonly share: number }[] {
  const first = stretches[0]?.from ?? 0;
  const wholeMs = (stretches.at(-1)?.to ?? 0) - first;
  const states = ['complete', 'refilled', 'partial', 'missing'] as const;
  return states.flatMap((state) => {
    const ms = stretches.reduce((sum, one) => sum + (one.state === state ? one.to - one.from : 0), 0);
    return ms > 0 ? [{ state, share: ms / wholeMs }] : [];
  });
}

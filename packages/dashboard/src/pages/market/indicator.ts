import { compact } from '../../format/numbers.ts';
import type { Bar } from '../../live/topic.ts';

/** A value known at its own times, valid until the next. */
export interface Sample {
  readonly ts: number;
  readonly value: number;
}

export interface IndicatorLine {
  readonly name: string;
  /** Name of a token of `design/tokens.css`. */
  readonly color: string;
  readonly isDashed?: boolean;
  /** Columns from zero, in the colours of rising and falling, instead of a line. */
  readonly isColumns?: boolean;
  /** In the colour of rising where it is below the close, else of falling. */
  readonly isTrend?: boolean;
  /** The one of several that is tagged with its last value. */
  readonly isMain?: boolean;
  /** Not drawn: its values are in the legend of a bar that is pointed at. */
  readonly isRead?: boolean;
}

/** One value per line; `undefined` if there is none yet. */
export type IndicatorValues = readonly (number | undefined)[];

/** A pass over bars, oldest first. */
export interface IndicatorRun {
  /** Takes a closed bar. */
  readonly close: (bar: Bar) => IndicatorValues;
  /** The values with a bar that is still in progress. */
  readonly peek: (bar: Bar) => IndicatorValues;
}

/** Computed from bars, drawn over the prices or in a separate pane. */
export interface Indicator {
  /** In the address. */
  readonly name: string;
  readonly title: string;
  /** Label before its lines in the legend, if their names are not sufficient. */
  readonly label?: string;
  readonly isOverlay: boolean;
  /** Its values change every few seconds, and not with each trade. */
  readonly isSampled?: boolean;
  readonly lines: readonly IndicatorLine[];
  /** Levels that are marked. */
  readonly marks?: readonly number[];
  readonly text: (value: number) => string;
  readonly run: () => IndicatorRun;
}

interface IndicatorSpec<State> extends Omit<Indicator, 'run'> {
  readonly start: State;
  readonly step: (state: State, bar: Bar) => readonly [next: State, values: IndicatorValues];
}

/** An indicator is a function from a state and a bar to the next state: the bar in progress just does not advance it. */
export function indicator<State>({ start, step, ...look }: IndicatorSpec<State>): Indicator {
  return {
    ...look,
    run() {
      let state = start;
      return {
        close(bar) {
          const [next, values] = step(state, bar);
          state = next;
          return values;
        },
        peek: (bar) => step(state, bar)[1],
      };
    },
  };
}

/** Bought less sold size since the first bar that reports it: candles of some venues do not. */
export function cvd(coin: string): Indicator {
  return indicator({
    name: 'cvd',
    title: `CVD, ${coin}`,
    isOverlay: false,
    lines: [{ name: 'CVD', color: '--series-1' }],
    text: (value) => compact(value, 1),
    start: 0,
    step: (sum, { delta }) => (Number.isNaN(delta) ? [sum, [undefined]] : [sum + delta, [sum + delta]]),
  });
}

/** Samples with their own times, one list per line, each valid until the next. */
export function sampled(
  look: Omit<Indicator, 'run' | 'isOverlay'>,
  samples: () => readonly (readonly Sample[])[],
): Indicator {
  return indicator<readonly number[]>({
    ...look,
    isOverlay: false,
    isSampled: true,
    start: look.lines.map(() => -1),
    step(places, { closeTs }) {
      const lists = samples();
      const next = places.map((place, i) => {
        const known = lists[i] ?? [];
        let at = place;
        while (at + 1 < known.length && (known[at + 1] as Sample).ts <= closeTs) at += 1;
        return at;
      });
      return [next, next.map((at, i) => lists[i]?.[at]?.value)];
    },
  });
}

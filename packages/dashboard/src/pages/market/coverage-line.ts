import type { IChartApi, ISeriesPrimitive, Logical, SeriesAttachedParameter } from 'lightweight-charts';
import type { Bar } from '../../live/topic.ts';
import { canvasFont } from './canvas-font.ts';
import type { ColourOf } from './indicator-series.ts';
import { type BarState, sinceRecord, statesOf, type Stretch } from './coverage-states.ts';

const LINE_PX = 3;
const DASH_PX = 4;
const LABEL_PX = 11;

/** Names of tokens. */
export const stateColours: Readonly<Record<BarState, string>> = {
  complete: '--good',
  refilled: '--accent',
  partial: '--warn',
  missing: '--bad',
  venue: '--text-3',
};

type Target = Parameters<
  NonNullable<ReturnType<ReturnType<NonNullable<ISeriesPrimitive['paneViews']>>[number]['renderer']>>['draw']
>[0];

export interface CoverageLineOptions {
  readonly colourOf: () => ColourOf;
  /** Label of the line where the tape begins. */
  readonly labelOf: (ts: number) => string;
}

/** A thin line over the bars: how complete the tape is, and where it begins after the venue's own candles. */
export class CoverageLine implements ISeriesPrimitive {
  readonly #options: CoverageLineOptions;
  #chart: IChartApi | undefined;
  #redraw: (() => void) | undefined;
  #bars: readonly Bar[] = [];
  #states: readonly BarState[] = [];
  #stretches: readonly Stretch[] = [];

  constructor(options: CoverageLineOptions) {
    this.#options = options;
  }

  attached({ chart, requestUpdate }: SeriesAttachedParameter): void {
    this.#chart = chart;
    this.#redraw = requestUpdate;
  }

  detached(): void {
    this.#chart = undefined;
    this.#redraw = undefined;
  }

  /** The bars, with the one in progress; the chart draws itself again when they change. */
  setBars(bars: readonly Bar[]): void {
    this.#bars = bars;
    this.#states = statesOf(bars, sinceRecord(bars, this.#stretches));
  }

  setStretches(stretches: readonly Stretch[]): void {
    this.#stretches = stretches;
    this.setBars(this.#bars);
    this.#redraw?.();
  }

  paneViews() {
    return [
      { zOrder: () => 'top' as const, renderer: () => ({ draw: (target: Target) => this.#draw(target) }) },
    ];
  }

  #draw(target: Target): void {
    const scale = this.#chart?.timeScale();
    const seen = scale?.getVisibleLogicalRange();
    if (!scale || !seen) return;
    const first = Math.max(0, Math.floor(seen.from));
    const last = Math.min(this.#states.length - 1, Math.ceil(seen.to));
    const xOf = (index: number): number => scale.logicalToCoordinate(index as Logical) ?? 0;
    const width = xOf(first + 1) - xOf(first);
    target.useMediaCoordinateSpace(({ context, mediaSize }) => {
      const colourOf = this.#options.colourOf();
      for (let from = first; from <= last; ) {
        const state = this.#states[from] as BarState;
        let to = from;
        while (to < last && this.#states[to + 1] === state) to += 1;
        context.fillStyle = colourOf(stateColours[state]);
        context.fillRect(xOf(from) - width / 2, 0, xOf(to) - xOf(from) + width, LINE_PX);
        from = to + 1;
      }
      const begin = this.#states.findIndex((state) => state !== 'venue');
      if (begin < 1 || begin < first || begin > last) return;
      const x = Math.round(xOf(begin) - width / 2) + 0.5;
      context.strokeStyle = colourOf('--text-3');
      context.setLineDash([DASH_PX, DASH_PX]);
      context.beginPath();
      context.moveTo(x, 0);
      context.lineTo(x, mediaSize.height);
      context.stroke();
      context.setLineDash([]);
      context.fillStyle = colourOf('--text-2');
      context.font = canvasFont(LABEL_PX);
      context.textAlign = 'right';
      context.fillText(
        this.#options.labelOf((this.#bars[begin] as Bar).openTs),
        x - DASH_PX,
        mediaSize.height / 2,
      );
    });
  }
}

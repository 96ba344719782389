import type { ISeriesPrimitive, Logical, SeriesAttachedParameter } from 'lightweight-charts';
import type { Bar } from '../../../live/topic.ts';
import type { ChartSurface } from '../chart-surface.ts';
import { canvasFont } from '../canvas-font.ts';
import type { ColourOf } from '../indicator-series.ts';

type Target = Parameters<
  NonNullable<ReturnType<ReturnType<NonNullable<ISeriesPrimitive['paneViews']>>[number]['renderer']>>['draw']
>[0];

const TEXT_PX = 11;

/** What an overlay draws with. */
export interface OverlayPane {
  readonly context: CanvasRenderingContext2D;
  readonly width: number;
  readonly height: number;
  readonly colourOf: ColourOf;
  /** The closed bars. */
  readonly bars: readonly Bar[];
  /** The visible ones, and the one in progress after them where it is visible too. */
  readonly visible: readonly Bar[];
  /** Place of the first visible one. */
  readonly firstVisible: number;
  /** Width of a bar with the room beside it. */
  readonly spacing: number;
  readonly xOf: (place: number) => number;
  readonly yOf: (price: number) => number | null;
}

/** Draws over the prices of a chart: below its lines and bars, or above the bars. */
export class PaneOverlay implements ISeriesPrimitive {
  readonly #surface: ChartSurface;
  readonly #paint: (pane: OverlayPane) => void;
  readonly #zOrder: 'bottom' | 'normal';
  #redraw: (() => void) | undefined;

  constructor(
    surface: ChartSurface,
    paint: (pane: OverlayPane) => void,
    zOrder: 'bottom' | 'normal' = 'bottom',
  ) {
    this.#surface = surface;
    this.#paint = paint;
    this.#zOrder = zOrder;
  }

  attached({ requestUpdate }: SeriesAttachedParameter): void {
    this.#redraw = requestUpdate;
  }

  detached(): void {
    this.#redraw = undefined;
  }

  redraw(): void {
    this.#redraw?.();
  }

  paneViews() {
    return [
      { zOrder: () => this.#zOrder, renderer: () => ({ draw: (target: Target) => this.#draw(target) }) },
    ];
  }

  #draw(target: Target): void {
    const { chart, prices, bars, open, colourOf } = this.#surface;
    const scale = chart.timeScale();
    const seen = scale.getVisibleLogicalRange();
    const first = scale.logicalToCoordinate(0 as Logical);
    if (!seen || first === null) return;
    const { barSpacing } = scale.options();
    const known = bars();
    target.useMediaCoordinateSpace(({ context, mediaSize }) => {
      context.save();
      context.font = canvasFont(TEXT_PX);
      this.#paint({
        context,
        ...mediaSize,
        colourOf: colourOf(),
        bars: known,
        visible: visibleBars(known, open(), seen),
        firstVisible: Math.max(0, Math.floor(seen.from)),
        spacing: barSpacing,
        xOf: (place) => first + place * barSpacing,
        yOf: (price) => prices.priceToCoordinate(price),
      });
      context.restore();
    });
  }
}

/** The bars between two places; the one in progress has the place after the closed ones. */
export function visibleBars<Some>(
  closed: readonly Some[],
  open: Some | null,
  { from, to }: { readonly from: number; readonly to: number },
): readonly Some[] {
  const end = Math.ceil(to) + 1;
  const seen = closed.slice(Math.max(0, Math.floor(from)), end);
  return open && end > closed.length ? [...seen, open] : seen;
}

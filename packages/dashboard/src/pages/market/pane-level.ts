import type { ChartSurface } from './chart-surface.ts';
import type { Indicator } from './indicator.ts';

/** Between two panes, in pixels. */
const SEPARATOR_PX = 1;

/** A level of the pane of an indicator. */
export interface PaneLevel {
  readonly indicator: Indicator;
  readonly value: number;
}

/** The indicator and its value at a height of the chart, in pixels from its top; `undefined` over the prices. */
export function levelAt({ chart, indicators }: ChartSurface, y: number): PaneLevel | undefined {
  const inPanes = indicators().filter(({ indicator }) => !indicator.isOverlay);
  let top = 0;
  for (const [place, pane] of chart.panes().entries()) {
    const height = pane.getHeight();
    if (y >= top && y <= top + height) {
      const one = inPanes[place - 1];
      const value = one?.valueAtY(y - top);
      return one && value !== undefined ? { indicator: one.indicator, value } : undefined;
    }
    top += height + SEPARATOR_PX;
  }
  return undefined;
}

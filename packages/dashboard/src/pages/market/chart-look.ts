import type { ChartOptions, DeepPartial } from 'lightweight-charts';
import type { ColourOf } from './indicator-series.ts';

/** Room after the newest bar, in bars. */
export const RIGHT_BARS = 6;

/** One finger moves a chart sideways and scrolls the page up and down; two zoom. */
export const openHands = {
  handleScroll: { mouseWheel: true, pressedMouseMove: true, horzTouchDrag: true, vertTouchDrag: false },
  handleScale: true,
} as const satisfies DeepPartial<ChartOptions>;

/** A swipe glides on, unless the reader prefers reduced motion. */
export function swipes(): DeepPartial<ChartOptions> {
  return { kineticScroll: { touch: !matchMedia('(prefers-reduced-motion: reduce)').matches, mouse: false } };
}

/** The colours and fonts of a chart, from the tokens of the theme. */
export function chartLook(colourOf: ColourOf): DeepPartial<ChartOptions> {
  const [line, strong] = [colourOf('--line'), colourOf('--line-strong')];
  return {
    layout: {
      background: { color: 'transparent' },
      textColor: colourOf('--text-2'),
      fontSize: 11,
      // Its mark would write a style into the document; the page names its makers itself.
      attributionLogo: false,
      panes: { separatorColor: line, separatorHoverColor: strong },
    },
    grid: { vertLines: { color: line }, horzLines: { color: line } },
    crosshair: {
      mode: 0,
      vertLine: { labelBackgroundColor: strong },
      horzLine: { labelBackgroundColor: strong },
    },
    rightPriceScale: { borderVisible: false, minimumWidth: 64, entireTextOnly: true },
  };
}

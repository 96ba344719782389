import type { AutoscaleInfo } from 'lightweight-charts';

/** Share of a pane that is free above the prices in any case. */
export const TOP_SHARE = 0.08;
/** A legend takes this share of a pane at most; the rest of it is over the prices. */
const SHARE_MAX = 1 / 3;

/** Keeps the prices below the legend. */
export class LegendRoom {
  #bottom = 0;
  #layout = '';

  /**
   * Takes the lower edge of the legend, in pixels from the top of the pane. A lower one counts until the layout (the
   * indicators and the width) changes: the prices would move with every value that breaks the lines differently.
   *
   * @returns Whether the room is another.
   */
  take(bottom: number, layout: string): boolean {
    const before = this.#bottom;
    this.#bottom = layout === this.#layout ? Math.max(before, bottom) : bottom;
    this.#layout = layout;
    return this.#bottom !== before;
  }

  /** The range that a series fills, with the room above it in a pane of this height. */
  addTo(info: AutoscaleInfo | null, paneHeight: number): AutoscaleInfo | null {
    const above = Math.min(this.#bottom, paneHeight * SHARE_MAX) - paneHeight * TOP_SHARE;
    if (info === null || above <= 0) return info;
    const { above: own = 0, below = 0 } = info.margins ?? {};
    return { ...info, margins: { above: Math.max(own, above), below } };
  }
}

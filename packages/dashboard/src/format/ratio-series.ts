import { ratioSeries } from '../generated/venues.ts';
import { venueShort } from './venues.ts';

export { ratioSeries };

/** A recorded long/short ratio: of all accounts of a venue, or of its largest traders. */
export type RatioSeries = (typeof ratioSeries)[number];

/** `Binance`, `Binance top`. */
export function ratioName({ venue, view }: RatioSeries): string {
  return view === 'top' ? `${venueShort(venue)} top` : venueShort(venue);
}

interface RatioPast {
  readonly points: readonly { readonly t: number; readonly longShortRatio: number | null }[];
}

/** Long ÷ short by time, oldest first. While none is short, there is no ratio. */
export function ratioPoints({ points }: RatioPast): readonly { readonly x: number; readonly y: number }[] {
  return points.flatMap(({ t, longShortRatio }) =>
    longShortRatio === null ? [] : [{ x: t, y: longShortRatio }],
  );
}

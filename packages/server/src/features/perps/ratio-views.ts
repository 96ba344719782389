import type { Positioning } from '@crosstape/core';
import type { RatioKind } from '@crosstape/venues';
import { venuesWithHistory } from '../markets/venue-ids.ts';

type View = Positioning['view'];

/** The recorded series of each view of positioning, and what it counts. */
export const ratioViews = {
  global: { kind: 'globalLongs', basis: 'accounts' },
  top: { kind: 'topLongs', basis: 'positions' },
} as const satisfies Readonly<
  Record<View, { readonly kind: RatioKind; readonly basis: Positioning['basis'] }>
>;

/** Venues whose ratios are recorded, by view. */
export const ratioVenueIds: Readonly<Record<View, readonly string[]>> = {
  global: venuesWithHistory(ratioViews.global.kind),
  top: venuesWithHistory(ratioViews.top.kind),
};

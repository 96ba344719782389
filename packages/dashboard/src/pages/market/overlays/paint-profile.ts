import { price, priceDigits } from '../../../format/numbers.ts';
import type { Bar } from '../../../live/topic.ts';
import type { OverlayPane } from './pane-overlay.ts';
import { profileOf, sessionOf, type VolumeProfile } from './volume-profile.ts';

const ROWS = 64;
/** Part of the pane that the longest row takes. */
const WIDTH_SHARE = 0.22;
const LABEL_GAP_PX = 3;
const BELOW_PX = 12;
const DASH = [4, 4];

/**
 * Paints the volume at each price, from the right edge or, for the whole day of the last visible bar, from the left one.
 * `earlier` returns the bars before the first one.
 */
export function profilePainter(
  isSession: boolean,
  earlier: () => readonly Bar[] = () => [],
): (pane: OverlayPane) => void {
  let shownOf: readonly (Bar | number | undefined)[] = [];
  let shown: VolumeProfile | undefined;
  return (pane) => {
    const bars: readonly Bar[] = isSession
      ? sessionOf([...earlier(), ...pane.bars], pane.visible)
      : pane.visible;
    // The same bars have the same profile: it is computed again only when others become visible. Bars of another market
    // have the same times.
    const ends = [bars.length, bars[0], bars.at(-1)];
    if (ends.some((one, i) => one !== shownOf[i])) [shownOf, shown] = [ends, profileOf(bars, ROWS)];
    if (shown) paint(pane, shown, isSession);
  };
}

function paint(pane: OverlayPane, profile: VolumeProfile, isLeft: boolean): void {
  const { context, width, colourOf, yOf } = pane;
  const { rows, step, poc, valueFrom, valueTo } = profile;
  const most = rows[poc]?.volume ?? 0;
  if (most === 0) return;
  const edges = (index: number): readonly [top: number, bottom: number] | undefined => {
    const { low = 0 } = rows[index] ?? {};
    const [top, bottom] = [yOf(low + step), yOf(low)];
    return top === null || bottom === null ? undefined : [top, bottom];
  };
  for (const [i, { volume, bought }] of rows.entries()) {
    const place = edges(i);
    if (!place) continue;
    const [top, bottom] = place;
    const long = (volume / most) * width * WIDTH_SHARE;
    const up = Number.isNaN(bought) ? long / 2 : long * (volume > 0 ? bought / volume : 0);
    context.globalAlpha = i >= valueFrom && i <= valueTo ? 0.42 : 0.2;
    const x = isLeft ? 0 : width - long;
    const height = Math.max(1, bottom - top - 1);
    context.fillStyle = Number.isNaN(bought) ? colourOf('--text-3') : colourOf('--up');
    context.fillRect(x, top, up, height);
    if (!Number.isNaN(bought)) context.fillStyle = colourOf('--down');
    context.fillRect(x + up, top, long - up, height);
  }
  context.globalAlpha = 1;
  const name = isLeft ? 'day ' : '';
  const line = (text: string, at: number, color: string, place: 'above' | 'below' | 'beside'): void => {
    const y = yOf(at);
    if (y === null) return;
    context.strokeStyle = context.fillStyle = colourOf(color);
    context.setLineDash(place === 'beside' ? [] : DASH);
    context.beginPath();
    context.moveTo(0, y);
    context.lineTo(width, y);
    context.stroke();
    context.setLineDash([]);
    context.textAlign = isLeft ? 'left' : 'right';
    const inset = LABEL_GAP_PX + (place === 'beside' ? width * WIDTH_SHARE : 0);
    context.fillText(
      text,
      isLeft ? inset : width - inset,
      place === 'below' ? y + BELOW_PX : y - LABEL_GAP_PX,
    );
  };
  const middle = (rows[poc]?.low ?? 0) + step / 2;
  const [top, bottom] = [(rows[valueTo]?.low ?? 0) + step, rows[valueFrom]?.low ?? 0];
  const digits = priceDigits(middle);
  line(`${name}POC ${price(middle, digits)}`, middle, '--warn', 'beside');
  line(`${name}VAH ${price(top, digits)}`, top, '--text-2', 'above');
  line(`${name}VAL ${price(bottom, digits)}`, bottom, '--text-2', 'below');
}

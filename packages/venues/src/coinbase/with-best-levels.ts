import { DEPTH_LEVELS_MAX } from '@crosstape/core';

/** One more than a book keeps: by that it knows that there were more. */
const LEVELS_MAX = DEPTH_LEVELS_MAX + 1;
const BETWEEN_LEVELS = '],[';
/** Of a price as text, at most. */
const PRICE_CHARS = 32;

/**
 * The text of a snapshot without levels that no book keeps: to parse tens of thousands of them would keep the thread busy
 * for a tenth of a second. The venue lists the best first [K]. A list that is not in this order stays as it is.
 */
export function withBestLevels(snapshot: string): string {
  const withBestBids = shorten(snapshot, 'bids', (price, than) => price < than);
  return shorten(withBestBids, 'asks', (price, than) => price > than);
}

function shorten(text: string, side: string, isWorse: (price: number, than: number) => boolean): string {
  const name = `"${side}":[[`;
  const from = text.indexOf(name);
  const to = from < 0 ? -1 : text.indexOf(']]', from);
  if (to < 0) return text;
  let cut = from + name.length;
  for (let kept = 0; kept < LEVELS_MAX; kept += 1) {
    cut = text.indexOf(BETWEEN_LEVELS, cut + 1);
    if (cut < 0 || cut > to) return text;
  }
  // Behind the quotation mark.
  const priceAt = (at: number): number => Number.parseFloat(text.slice(at + 1, at + PRICE_CHARS));
  const best = priceAt(from + name.length);
  const lastKept = priceAt(text.lastIndexOf('[', cut) + 1);
  const firstCut = priceAt(cut + BETWEEN_LEVELS.length);
  const last = priceAt(text.lastIndexOf('[', to) + 1);
  const isInOrder = isWorse(lastKept, best) && isWorse(firstCut, lastKept) && !isWorse(firstCut, last);
  return isInOrder ? text.slice(0, cut) + text.slice(to) : text;
}

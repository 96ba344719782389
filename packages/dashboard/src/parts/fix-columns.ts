import { systemClock } from '@crosstape/client';

/** Figures grow by a digit now and then. */
const MEASURE_EVERY_MS = 60_000;
/** Marks a table whose columns are fixed (`design/page.css`). */
const FIXED = 'fixed-columns';

/**
 * Keeps the columns of a table as wide as they are, so that a changed text (`.contained`) is laid out alone: otherwise
 * each one lays out the whole table. They are measured again each minute, and when the table has another width to fill.
 */
export function fixColumns(table: HTMLTableElement): () => void {
  const heads = [...table.querySelectorAll<HTMLElement>('thead th')];
  const free = (): void => {
    table.classList.remove(FIXED);
    for (const head of heads) head.style.width = '';
  };
  const fix = (): void => {
    free();
    const widths = heads.map((head) => head.getBoundingClientRect().width);
    for (const [i, head] of heads.entries()) head.style.width = `${widths[i]}px`;
    table.classList.add(FIXED);
  };
  const observer = new ResizeObserver(fix);
  if (table.parentElement) observer.observe(table.parentElement);
  const timer = systemClock.every(MEASURE_EVERY_MS, fix);
  return () => {
    timer.cancel();
    observer.disconnect();
    free();
  };
}

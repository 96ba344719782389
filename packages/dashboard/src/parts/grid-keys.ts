/** Rows that Page Up and Page Down move by. */
const PAGE_ROWS = 10;

interface GridKeysOptions {
  /** Enter or Space on a cell without a link or a button. */
  readonly onopen: (cell: HTMLTableCellElement) => void;
}

/**
 * Makes the body of a table one tab stop, with keys that move from cell to cell: arrows, Home and End within a row, with
 * Ctrl in the table, and Page Up and Page Down. The focus is on the link or button of a cell, if it has one. Rows have a
 * `data-key`.
 */
export function gridKeys(body: HTMLTableSectionElement, { onopen }: GridKeysOptions): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  /** The cell that has or had the focus. */
  let current: { readonly key: string | undefined; readonly column: number } | undefined;
  let isInside = false;

  const rows = (): readonly HTMLTableRowElement[] => [...body.rows];
  /** Those that are shown: some columns are left out on narrow screens. */
  const cellsOf = (row: HTMLTableRowElement): readonly HTMLTableCellElement[] =>
    [...row.cells].filter((cell) => cell.offsetParent !== null);
  const cellOf = (target: EventTarget | null): HTMLTableCellElement | undefined => {
    const cell = target instanceof Element ? target.closest('td') : null;
    return cell && body.contains(cell) ? cell : undefined;
  };
  const rowOf = (cell: HTMLTableCellElement): HTMLTableRowElement =>
    cell.parentElement as HTMLTableRowElement;

  function focus(cell: HTMLTableCellElement | undefined): void {
    if (!cell) return;
    const target = cell.querySelector<HTMLElement>('a, button') ?? cell;
    target.tabIndex = -1;
    target.focus();
  }

  /** Where the reader was, or else the first cell. */
  function currentCell(): HTMLTableCellElement | undefined {
    const all = rows();
    const row = all.find(({ dataset }) => dataset['key'] === current?.key);
    return row?.cells[current?.column ?? 0] ?? (all[0] && cellsOf(all[0])[0]);
  }

  function cellAfter(event: KeyboardEvent, from: HTMLTableCellElement): HTMLTableCellElement | undefined {
    const all = rows();
    const [row, place] = [all.indexOf(rowOf(from)), cellsOf(rowOf(from)).indexOf(from)];
    const inRow = (at: number, column: number): HTMLTableCellElement | undefined => {
      const to = all[Math.max(0, Math.min(all.length - 1, at))];
      return to && cellsOf(to).at(column);
    };
    const last = all.length - 1;
    if (event.key === 'Home') return inRow(event.ctrlKey ? 0 : row, 0);
    if (event.key === 'End') return inRow(event.ctrlKey ? last : row, -1);
    if (event.key === 'ArrowLeft') return inRow(row, Math.max(0, place - 1));
    if (event.key === 'ArrowRight') return cellsOf(rowOf(from))[place + 1] ?? from;
    if (event.key === 'ArrowUp') return inRow(row - 1, place);
    if (event.key === 'ArrowDown') return inRow(row + 1, place);
    if (event.key === 'PageUp') return inRow(row - PAGE_ROWS, place);
    return event.key === 'PageDown' ? inRow(row + PAGE_ROWS, place) : undefined;
  }

  function onKey(event: KeyboardEvent): void {
    const from = cellOf(event.target);
    if (!from) return;
    if (event.key === 'Enter' || event.key === ' ') {
      // Those of a link or a button are its own.
      if (event.target !== from) return;
      onopen(from);
    } else {
      const to = cellAfter(event, from);
      if (!to) return;
      focus(to);
    }
    event.preventDefault();
  }

  function onFocus({ target }: FocusEvent): void {
    if (target === body) return focus(currentCell());
    const cell = cellOf(target);
    isInside = cell !== undefined;
    // From a cell, the body is not another stop on the way back.
    body.tabIndex = isInside ? -1 : 0;
    if (cell) current = { key: rowOf(cell).dataset['key'], column: cell.cellIndex };
  }

  /** A row that is sorted to another place, or is no longer shown, loses the focus. */
  const moves = new MutationObserver(() => {
    if (isInside && document.activeElement === document.body) focus(currentCell());
  });

  body.tabIndex = 0;
  body.addEventListener('keydown', onKey, { signal });
  addEventListener('focusin', onFocus, { signal });
  const onPress = ({ target }: PointerEvent): void => {
    isInside &&= cellOf(target) !== undefined;
  };
  addEventListener('pointerdown', onPress, { signal });
  moves.observe(body, { childList: true });
  return () => {
    ending.abort();
    moves.disconnect();
  };
}

/** Rows this far out of view are drawn too, so that scrolling shows no old figures. */
const EARLY_PX = 300;

/**
 * Which rows of a long table are in view or close to it. The others stay as they were drawn last, until they are
 * scrolled there.
 */
export class RowsInView<Row> {
  #keys = $state.raw<ReadonlySet<string>>(new Set());
  #drawn: ReadonlyMap<string, Row> = new Map();
  #observer: IntersectionObserver | undefined;

  /** For the element of each row: it has its key in `data-key`. */
  readonly watch = (element: HTMLTableRowElement): (() => void) => {
    this.#observer ??= new IntersectionObserver((entries) => this.#take(entries), {
      root: scrollerOf(element),
      rootMargin: `${EARLY_PX}px`,
    });
    this.#observer.observe(element);
    return () => this.#observer?.unobserve(element);
  };

  /** These rows, those out of view as they were drawn last. */
  drawn(rows: readonly Row[], name: (row: Row) => string): readonly Row[] {
    const next = new Map<string, Row>();
    for (const row of rows) {
      const key = name(row);
      next.set(key, this.#keys.has(key) ? row : (this.#drawn.get(key) ?? row));
    }
    this.#drawn = next;
    return [...next.values()];
  }

  #take(entries: readonly IntersectionObserverEntry[]): void {
    const keys = new Set(this.#keys);
    for (const { target, isIntersecting } of entries)
      if (isIntersecting) keys.add(keyOf(target));
      else keys.delete(keyOf(target));
    this.#keys = keys;
  }
}

function keyOf(element: Element): string {
  return (element as HTMLElement).dataset['key'] ?? '';
}

/** The closest element that scrolls up and down; `null` for the window. */
function scrollerOf(element: Element): Element | null {
  const parent = element.parentElement;
  if (!parent || parent === document.body) return null;
  return /auto|scroll/.test(getComputedStyle(parent).overflowY) ? parent : scrollerOf(parent);
}

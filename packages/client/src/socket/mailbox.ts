/** Unread items of a reader. */
const UNREAD_MAX = 100_000;

/** A reader that is too slow. */
export class TooSlow extends Error {
  override readonly name = 'TooSlow';
}

/** Queue from a socket to a reader. */
export class Mailbox<Item> {
  #items: Item[] = [];
  #wake: (() => void) | undefined;
  #end: { readonly error?: unknown } | undefined;

  put(item: Item): void {
    if (this.#end) return;
    this.#items.push(item);
    if (this.#items.length > UNREAD_MAX) {
      this.end(new TooSlow(`Reader fell behind: more than ${UNREAD_MAX} unread items.`));
    }
    this.#wake?.();
  }

  /** Ends the queue. With an error, the reader gets it after the queued items; otherwise these are dropped. */
  end(error?: unknown): void {
    this.#end ??= error === undefined ? {} : { error };
    this.#wake?.();
  }

  /** Everything received since the last call, at least one item; `undefined` at the end. */
  async take(): Promise<readonly Item[] | undefined> {
    for (;;) {
      if (this.#items.length > 0) {
        const items = this.#items;
        this.#items = [];
        return items;
      }
      if (this.#end) {
        if (this.#end.error !== undefined) throw this.#end.error;
        return undefined;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
  }
}

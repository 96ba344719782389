/** A queue that serves callers in turns: a caller with many items delays another by one of them at most. */
export class FairQueue<Item> {
  /** By caller, the next one first. No list is empty. */
  readonly #lists = new Map<string, Item[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  sizeOf(caller: string): number {
    return this.#lists.get(caller)?.length ?? 0;
  }

  push(caller: string, item: Item): void {
    const list = this.#lists.get(caller);
    if (list) list.push(item);
    else this.#lists.set(caller, [item]);
    this.#size += 1;
  }

  /** The next item; its caller then waits until every other allowed caller had a turn. */
  shift(mayTake: (caller: string) => boolean = () => true): Item | undefined {
    for (const [caller, list] of this.#lists) {
      if (!mayTake(caller)) continue;
      const item = list.shift();
      this.#lists.delete(caller);
      if (list.length > 0) this.#lists.set(caller, list);
      this.#size -= 1;
      return item;
    }
    return undefined;
  }

  /** False if the item is not queued. */
  remove(caller: string, item: Item): boolean {
    const list = this.#lists.get(caller) ?? [];
    const at = list.indexOf(item);
    if (at < 0) return false;
    list.splice(at, 1);
    if (list.length === 0) this.#lists.delete(caller);
    this.#size -= 1;
    return true;
  }

  /** Empties the queue. */
  drain(): readonly Item[] {
    const items = [...this.#lists.values()].flat();
    this.#lists.clear();
    this.#size = 0;
    return items;
  }
}

import { networkOf } from './client-address.ts';

/**
 * A queue that serves networks (IPv6 /48, IPv4 /24) in turns, and the callers of each: one with many items delays another
 * by one of them at most, and many addresses of one network count as one.
 */
export class FairQueue<Item> {
  /** By network and caller, the next ones first. No map and no list is empty. */
  readonly #networks = new Map<string, Map<string, Item[]>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  sizeOf(caller: string): number {
    return this.#networks.get(networkOf(caller))?.get(caller)?.length ?? 0;
  }

  push(caller: string, item: Item): void {
    const network = networkOf(caller);
    const callers = this.#networks.get(network) ?? new Map<string, Item[]>();
    this.#networks.set(network, callers);
    const list = callers.get(caller);
    if (list) list.push(item);
    else callers.set(caller, [item]);
    this.#size += 1;
  }

  /** The next item; its network and caller then wait until every other allowed one had a turn. */
  shift(mayTake: (caller: string) => boolean = () => true): Item | undefined {
    for (const [network, callers] of this.#networks) {
      for (const [caller, list] of callers) {
        if (!mayTake(caller)) continue;
        const item = list.shift();
        callers.delete(caller);
        if (list.length > 0) callers.set(caller, list);
        this.#networks.delete(network);
        if (callers.size > 0) this.#networks.set(network, callers);
        this.#size -= 1;
        return item;
      }
    }
    return undefined;
  }

  /** False if the item is not queued. */
  remove(caller: string, item: Item): boolean {
    const network = networkOf(caller);
    const callers = this.#networks.get(network);
    const list = callers?.get(caller) ?? [];
    const at = list.indexOf(item);
    if (at < 0) return false;
    list.splice(at, 1);
    if (list.length === 0) callers?.delete(caller);
    if (callers?.size === 0) this.#networks.delete(network);
    this.#size -= 1;
    return true;
  }

  /** Empties the queue. */
  drain(): readonly Item[] {
    const items = [...this.#networks.values()].flatMap((callers) => [...callers.values()].flat());
    this.#networks.clear();
    this.#size = 0;
    return items;
  }
}

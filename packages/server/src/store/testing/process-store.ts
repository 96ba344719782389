import type { Change, Store, Table } from '../store.ts';

/** The store of one simulated process, which can run out of disk and be killed: then it writes nothing. */
export class ProcessStore implements Store {
  /** Whether the disk is full: rows can still be removed. */
  isFull = false;
  readonly #store: Store;
  readonly #onCommitted: () => void;
  readonly #underWay = new Set<Promise<void>>();
  #isDead = false;

  constructor(store: Store, onCommitted: () => void = () => undefined) {
    this.#store = store;
    this.#onCommitted = onCommitted;
  }

  table<Value>(name: string, encoding: 'json' | 'binary'): Table<Value> {
    return this.#store.table(name, encoding as 'json');
  }

  commit(changes: readonly Change[]): Promise<void> {
    const committed = this.#commit(changes);
    const end = (): void => void this.#underWay.delete(ended);
    const ended: Promise<void> = committed.then(end, end);
    this.#underWay.add(ended);
    return committed;
  }

  /** Resolves when no commit is under way. */
  async settle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  kill(): void {
    this.#isDead = true;
  }

  probe(): Promise<void> {
    return this.#store.probe();
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  async #commit(changes: readonly Change[]): Promise<void> {
    if (this.#isDead) throw new Error('the process is gone');
    if (this.isFull && changes.some(({ put }) => put.length > 0)) throw new Error('no space left');
    // What has been encoded for this commit was released before it.
    this.#onCommitted();
    await this.#store.commit(changes);
  }
}

/** After a resume the service repeats what has the time of the last event, and what was published after it. */
const REMEMBERED_MAX = 20_000;

/** Knows again the newest events of a stream. */
export class Seen {
  readonly #names = new Set<string>();

  isNew(event: object): boolean {
    const { coin, ts, tid } = event as { coin?: string; ts?: number; tid?: number };
    const name = `${coin} ${ts} ${tid}`;
    if (this.#names.has(name)) return false;
    this.#names.add(name);
    if (this.#names.size > REMEMBERED_MAX) {
      const [oldest] = this.#names;
      if (oldest !== undefined) this.#names.delete(oldest);
    }
    return true;
  }
}

/** After a resume the service repeats events with the time of the last one, and later ones. */
const REMEMBERED_MAX = 20_000;

/** Recognises the newest events of a stream. */
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

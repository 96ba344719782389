/** How many of something each caller has; those with none take no memory. */
export class CallerCounts {
  readonly #counts = new Map<string, number>();

  of(caller: string): number {
    return this.#counts.get(caller) ?? 0;
  }

  add(caller: string, count = 1): void {
    this.#counts.set(caller, this.of(caller) + count);
  }

  remove(caller: string, count = 1): void {
    const left = this.of(caller) - count;
    if (left > 0) this.#counts.set(caller, left);
    else this.#counts.delete(caller);
  }
}

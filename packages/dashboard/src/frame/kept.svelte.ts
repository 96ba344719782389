/** A value of this browser, kept in its storage and nowhere else; every component sees the same. */
export class Kept<Value> {
  readonly #name: string;
  #value = $state.raw() as Value;

  constructor(name: string, fallback: Value, isValid: (value: unknown) => value is Value) {
    this.#name = `crosstape.${name}`;
    this.#value = fallback;
    try {
      const kept: unknown = JSON.parse(localStorage.getItem(this.#name) ?? 'null');
      if (isValid(kept)) this.#value = kept;
    } catch {
      // A browser may refuse to keep anything, and what was kept may be malformed: then the fallback holds.
    }
    // Another tab changed it.
    addEventListener('storage', ({ key, newValue }) => {
      if (key !== this.#name || newValue === null) return;
      const next: unknown = JSON.parse(newValue);
      if (isValid(next)) this.#value = next;
    });
  }

  get value(): Value {
    return this.#value;
  }

  set value(next: Value) {
    this.#value = next;
    try {
      localStorage.setItem(this.#name, JSON.stringify(next));
    } catch {
      // It holds until the page is left.
    }
  }
}

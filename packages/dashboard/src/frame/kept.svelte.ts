/** A value in this browser's storage, shared by all components. */
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
      // Storage may be unavailable, or its content malformed: then the fallback is used.
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
      // Storage is unavailable: the value lasts until the page is closed.
    }
  }
}

/** The share of refused frames is taken over about this many. */
const FRAMES = 32;
const CHANGED_ABOVE = 0.5;
const GOOD_BELOW = 0.25;

/** Tells a frame that is odd now and then from a wire that has changed: by the share of refused among recent frames. */
export class Refusals {
  #share = 0;
  #isChanged = false;

  get isChanged(): boolean {
    return this.#isChanged;
  }

  note(isRefused: boolean): void {
    this.#share += ((isRefused ? 1 : 0) - this.#share) / FRAMES;
    if (this.#share > CHANGED_ABOVE) this.#isChanged = true;
    else if (this.#share < GOOD_BELOW) this.#isChanged = false;
  }
}

/** The part of a refusal that does not change from case to case, to log each kind once. */
export function kindOfRefusal(why: string): string {
  const [kind = ''] = why.split(':', 1);
  return kind.slice(0, 100).replaceAll(/\d+/g, '#');
}

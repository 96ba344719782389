/**
 * The share of refused frames is taken over about this many: 17 refused in a row are a change, while a steady fifth of
 * them is taken for one about twice in a million frames (measured; 53 times with 16).
 */
const FRAMES = 24;
const CHANGED_ABOVE = 0.5;
const GOOD_BELOW = 0.25;

/** Distinguishes an occasional malformed frame from a changed format: by the share of refused among recent frames. */
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

const WHY_LENGTH_MAX = 200;

/** Shortens a reason for a log or an answer: it may quote a venue's message. */
export function briefly(why: string): string {
  return why.length > WHY_LENGTH_MAX ? `${why.slice(0, WHY_LENGTH_MAX)}…` : why;
}

/** The part of a reason that does not change from case to case, to log each kind once: no quotes, tickers or numbers. */
export function kindOfRefusal(why: string): string {
  const [kind = ''] = briefly(why).split(/[:'"`]/, 1);
  return kind.replaceAll(/\b[a-z]?[A-Z0-9]+\b/g, '#');
}

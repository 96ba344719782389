/**
 * Trust in a source. `documented`: its own figures, over a documented public interface; `aggregated`: compiled from
 * others, over a documented interface; `undocumented`: an undocumented page or address, which may change or end at any
 * time.
 */
export const trusts = ['documented', 'aggregated', 'undocumented'] as const;
export type Trust = (typeof trusts)[number];

/** A source, the data used from it, and its terms. */
export interface SourceTerms {
  /** Id of the venue or site, which includes its parts under other addresses. */
  readonly id: string;
  readonly name: string;
  /** The data used from it. */
  readonly takes: string;
  readonly trust: Trust;
  /** To be shown with its figures. */
  readonly attribution: string;
  /** If its terms require attribution: the text and link shown with its figures, in answers and on panels. */
  readonly credit?: { readonly text: string; readonly url: string };
  /** URL of its terms; absent if none are published. */
  readonly termsUrl?: string;
  /** What to know of the terms before redistributing its figures. */
  readonly termsNote: string;
}

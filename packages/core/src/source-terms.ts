/**
 * How far to trust a source. `documented`: its own figures, by a public interface that it documents; `aggregated`: put
 * together from others, by a documented interface; `undocumented`: an undocumented page or address, which may change
 * or end at any time.
 */
export const trusts = ['documented', 'aggregated', 'undocumented'] as const;
export type Trust = (typeof trusts)[number];

/** Who a source is, what is taken from it, and on which terms. */
export interface SourceTerms {
  /** Of the venue or site; its parts under other addresses belong to it. */
  readonly id: string;
  readonly name: string;
  /** What is taken from it. */
  readonly takes: string;
  readonly trust: Trust;
  /** To be shown where its figures are. */
  readonly attribution: string;
  /** Where its terms ask to be named: the words and the link that go with its figures, in answers and on panels. */
  readonly credit?: { readonly text: string; readonly url: string };
  /** Where its terms are; absent when it publishes none that we know of. */
  readonly termsUrl?: string;
  /** What to know of them before figures are passed on to others. */
  readonly termsNote: string;
}

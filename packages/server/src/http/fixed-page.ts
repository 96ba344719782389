import { Answer } from './answer.ts';
import type { Page } from './route.ts';
import { pageHeaders } from './write.ts';

export interface FixedPageOptions {
  readonly path: string;
  readonly contentType: string;
  readonly body: Buffer | string;
  /** What a browser may load for it (CSP); default: nothing. */
  readonly policy?: string;
  /** Value of `Cache-Control`; default: revalidate each time. */
  readonly caching?: string;
}

/** A page that is the same for everybody for as long as the process lives: compressed once, and a 304 to who has it. */
export function fixedPage({ path, contentType, body, policy, caching = 'no-cache' }: FixedPageOptions): Page {
  const answer = new Answer({
    body: Buffer.from(body),
    contentType,
    caching,
    // Never old: what is served is what there is.
    asOfMs: Infinity,
    headers: pageHeaders(policy),
  });
  return { path, handle: () => answer };
}

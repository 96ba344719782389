import { once } from '../platform/once.ts';
import { Answer } from './answer.ts';
import type { Page } from './route.ts';
import { pageHeaders } from './write.ts';

export interface FixedPageOptions {
  readonly path: string;
  readonly contentType: string;
  /** The body, or a function that makes it at the first request. */
  readonly body: Buffer | string | (() => Promise<string>);
  /** What a browser may load for it (CSP); default: nothing. */
  readonly policy?: string;
  /** Value of `Cache-Control`; default: revalidate each time. */
  readonly caching?: string;
  /** Whether other sites may show it in a frame; `policy` must allow it too. */
  readonly isEmbeddable?: boolean;
}

/**
 * A page that is the same for all callers while the process runs: compressed once, with a 304 for clients that have it.
 */
export function fixedPage({
  path,
  contentType,
  body,
  policy,
  caching = 'no-cache',
  isEmbeddable = false,
}: FixedPageOptions): Page {
  const answerWith = (bytes: Buffer | string): Answer =>
    new Answer({
      body: Buffer.from(bytes),
      contentType,
      caching,
      // Never stale: the served version is the current one.
      asOfMs: Infinity,
      headers: pageHeaders(policy, isEmbeddable),
    });
  if (typeof body !== 'function') {
    const answer = answerWith(body);
    return { path, handle: () => answer };
  }
  const answer = once(async () => answerWith(await body()));
  return { path, handle: answer };
}

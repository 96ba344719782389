import type { ConnectedSpan } from '@crosstape/core';

/** Spans of one venue, oldest first; those that touch or overlap are one. */
export function joinSpans(spans: readonly ConnectedSpan[]): ConnectedSpan[] {
  const joined: ConnectedSpan[] = [];
  for (const span of spans.toSorted((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last && span.from <= last.to) joined[joined.length - 1] = { ...last, to: Math.max(last.to, span.to) };
    else joined.push(span);
  }
  return joined;
}

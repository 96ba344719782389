import type { Update } from './topic.ts';

/** Merges two updates: the later one wins, and nothing of the earlier one is lost unless all is sent again. */
export function joined({ items, isWhole, gap, open, askedMs }: Update, later: Update): Update {
  if (later.isWhole) return later;
  return {
    ...(gap && { gap }),
    ...(open !== undefined && { open }),
    ...(askedMs !== undefined && { askedMs }),
    ...later,
    ...(isWhole && { isWhole }),
    items: later.items.length === 0 ? items : [...items, ...later.items],
  };
}

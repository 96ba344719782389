import { readdirSync } from 'node:fs';
import type { TestedFeed } from './tested-feed.ts';

const venues = new URL('../venues/', import.meta.url);
const FILE = 'tested-feed.ts';

/** Every trade feed of the simulator except the primary venue's: exported by `tested-feed.ts` in a venue's folder. */
export const TESTED_FEEDS: readonly TestedFeed[] = (
  await Promise.all(
    readdirSync(venues, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith(`/${FILE}`))
      .toSorted()
      .map((path) => import(/* @vite-ignore */ new URL(path, venues).href)),
  )
).flatMap((exported) => Object.values(exported as Readonly<Record<string, TestedFeed>>));

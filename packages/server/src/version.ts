import { readFileSync } from 'node:fs';

/** As the package says; the file lies beside both `src` and `dist`. */
export const version: string = (
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
).version;

/** Whether tests whose files have such names are to be run: all are, or those that were named. */
export function isWanted(files: RegExp): boolean {
  const named = process.argv.slice(2).filter((word) => word.includes('/') && !word.startsWith('-'));
  return named.length === 0 || named.some((word) => files.test(word) || /^test\/?$/.test(word));
}

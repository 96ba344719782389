/** A whole number from a query: absent, or not a number where it is anything else. */
export function wholeOf(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  return /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
}

/** A decoded value with all integers as numbers: some msgpack libraries return `bigint` for 64-bit ones. */
export function plainNumbers(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'object' || value === null) return value;
  const fields = value as Record<string, unknown>;
  for (const name in fields) {
    const field = fields[name];
    if (typeof field === 'bigint' || typeof field === 'object') fields[name] = plainNumbers(field);
  }
  return value;
}

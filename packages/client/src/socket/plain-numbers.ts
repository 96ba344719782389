/** A decoded value in which every integer is a number: some readers of msgpack give a `bigint` for those of 64 bits. */
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

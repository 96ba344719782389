/** Whether an `Accept` header prefers JSON over bytes (RFC 9110 §12.5.1); default: bytes. */
export function prefersJson(accept: string): boolean {
  const weights = new Map<string, number>();
  for (const entry of accept.toLowerCase().split(',')) {
    const [name = '', ...parameters] = entry.split(';').map((part) => part.trim());
    const q = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
    weights.set(name, Number(q) || 0);
  }
  return (weights.get('application/json') ?? 0) > (weights.get('application/octet-stream') ?? 0);
}

/** `$3.67 bn`, `$12,500`. */
export function usd(value: number): string {
  const size = Math.abs(value);
  const sign = value < 0 ? '−' : '';
  for (const [unit, name] of [
    [1e12, 'tn'],
    [1e9, 'bn'],
    [1e6, 'm'],
  ] as const) {
    if (size >= unit) return `${sign}$${(size / unit).toFixed(2)} ${name}`;
  }
  return `${sign}$${size.toLocaleString('en-US', { maximumFractionDigits: size < 10 ? 4 : 0 })}`;
}

export function percent(value: number, digits = 2): string {
  return `${value < 0 ? '−' : ''}${Math.abs(value).toFixed(digits)} %`;
}

/** A change: `+2.12 %`. */
export function change(value: number): string {
  return `${value > 0 ? '+' : ''}${percent(value)}`;
}

/** `2026-11-12 14:00 UTC`. */
export function time(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Rows as CSV (RFC 4180): a header line, and numbers as JSON prints them. */
export function csv(rows: readonly object[], fields: readonly string[]): string {
  const cell = (value: unknown): string => {
    if (value === undefined || value === null) return '';
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const lines = rows.map((row) =>
    fields.map((field) => cell((row as Record<string, unknown>)[field])).join(','),
  );
  return `${[fields.join(','), ...lines].join('\r\n')}\r\n`;
}

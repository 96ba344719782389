import type { FaultBoard, Spot } from './fault-board.ts';

export interface Place extends Spot {
  readonly faults: FaultBoard;
}

/** What a text becomes on its way out, if a fault strikes it: noise, its first half, other names or other types. */
export function mangle(text: string, { faults, ...spot }: Place): string {
  if (faults.strike(spot, 'garbage')) return noise(faults, Math.min(text.length, 512));
  if (faults.strike(spot, 'truncate')) return text.slice(0, Math.ceil(text.length / 2));
  const rename = faults.strike(spot, 'rename');
  if (rename) return text.replaceAll(new RegExp(`\\b${rename.field}\\b`, 'g'), `${rename.field}X`);
  const retype = faults.strike(spot, 'retype');
  return retype ? retyped(text, retype.field) : text;
}

function noise(faults: FaultBoard, length: number): string {
  return Array.from({ length: length + 1 }, () =>
    String.fromCharCode(33 + Math.floor(faults.random() * 94)),
  ).join('');
}

function retyped(text: string, field: string | undefined): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text; // Plain text has no fields.
  }
  return JSON.stringify(value, (key, one: unknown) => {
    if (field !== undefined && key !== field) return one;
    if (typeof one === 'number') return String(one);
    return typeof one === 'string' && /^-?\d+(\.\d+)?$/.test(one) ? Number(one) : one;
  });
}

/** Trades as a venue with such faults tells them: some missing, some twice. */
export function mangleTrades<Row>(rows: readonly Row[], { faults, ...spot }: Place): readonly Row[] {
  if (faults.isQuiet) return rows;
  const left = rows.filter(() => !faults.strike(spot, 'drop'));
  return left.flatMap((row) => (faults.strike(spot, 'duplicate') ? [row, row] : [row]));
}

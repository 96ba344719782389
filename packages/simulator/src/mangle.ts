import type { FaultBoard, Spot } from './fault-board.ts';
import { isFields } from './json.ts';

export interface Place extends Spot {
  readonly faults: FaultBoard;
}

/** Applies text faults: noise, truncation, empty, renamed fields or changed types. */
export function mangle(text: string, { faults, ...spot }: Place): string {
  if (faults.strike(spot, 'garbage')) return noise(faults, Math.min(text.length, 512));
  if (faults.strike(spot, 'truncate')) return text.slice(0, Math.ceil(text.length / 2));
  if (faults.strike(spot, 'empty')) return emptied(text);
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
  return rewritten(text, (key, one) => {
    if (field !== undefined && key !== field) return one;
    if (typeof one === 'number') return String(one);
    return typeof one === 'string' && /^-?\d+(\.\d+)?$/.test(one) ? Number(one) : one;
  });
}

function emptied(text: string): string {
  return rewritten(text, (key, one) => {
    if (Array.isArray(one)) return [];
    return key !== '' && isListByName(one) ? {} : one;
  });
}

/** An object of objects: `{"BTC-USD":{…},"ETH-USD":{…}}`. */
function isListByName(value: unknown): boolean {
  return isFields(value) && Object.values(value).every(isFields);
}

function rewritten(text: string, replace: (key: string, value: unknown) => unknown): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text; // Plain text has no fields.
  }
  return JSON.stringify(value, replace);
}

/** Trades as a venue with such faults sends them: some missing, some twice. */
export function mangleTrades<Row>(rows: readonly Row[], { faults, ...spot }: Place): readonly Row[] {
  if (faults.isQuiet) return rows;
  const left = rows.filter(() => !faults.strike(spot, 'drop'));
  return left.flatMap((row) => (faults.strike(spot, 'duplicate') ? [row, row] : [row]));
}

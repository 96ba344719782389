import { createHash } from 'node:crypto';
import { nextTurn } from '../platform/next-turn.ts';
import { SerializedCsv, SerializedJson } from './endpoint.ts';

/** Rows printed before other work gets its turn: a few milliseconds. */
const ROWS_PER_TURN = 500;

/**
 * The data of an answer with a long list in it as text, other data as they are: a year of hours takes too long at once.
 * `caller` is who the work is scheduled for.
 */
export async function printInTurns<Data>(data: Data, caller: string): Promise<Data | SerializedJson> {
  if (typeof data !== 'object' || data === null) return data;
  if (data instanceof SerializedJson || data instanceof SerializedCsv) return data;
  if (!isLong(data) && !Object.values(data).some(isLong)) return data;
  const hash = createHash('blake2b512');
  const parts: Buffer[] = [];
  for await (const text of isLong(data) ? rowsOf(data, caller) : fieldsOf(data, caller)) {
    const part = Buffer.from(text);
    hash.update(part);
    parts.push(part);
  }
  return new SerializedJson(Buffer.concat(parts), { digest: hash.digest() });
}

function isLong(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > ROWS_PER_TURN;
}

async function* fieldsOf(data: object, caller: string): AsyncGenerator<string> {
  let before = '{';
  for (const [name, value] of Object.entries(data) as [string, unknown][]) {
    if (value === undefined) continue;
    yield `${before}${JSON.stringify(name)}:`;
    if (isLong(value)) yield* rowsOf(value, caller);
    else yield JSON.stringify(value);
    before = ',';
  }
  yield '}';
}

async function* rowsOf(rows: readonly unknown[], caller: string): AsyncGenerator<string> {
  for (let at = 0; at < rows.length; at += ROWS_PER_TURN) {
    yield `${at === 0 ? '[' : ','}${JSON.stringify(rows.slice(at, at + ROWS_PER_TURN)).slice(1, -1)}`;
    await nextTurn(caller);
  }
  yield ']';
}

import type { TSchema } from 'typebox';
import { Failure } from '../platform/errors.ts';
import { nextTurn } from '../platform/next-turn.ts';

/** A field of a row, and its path. */
interface Column {
  readonly path: readonly string[];
  /** The type of its values, as JSON Schema names it. */
  readonly type: string;
  /** Whether it is a map: its keys are those of the data. */
  readonly isMap: boolean;
}

/** The part of a schema that determines columns. */
interface RowSchema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, RowSchema>>;
  readonly patternProperties?: object;
  readonly anyOf?: readonly RowSchema[];
  readonly items?: RowSchema;
}

/** Where the rows of an answer are, and their columns. */
export interface List {
  /** The field of `data` that holds the rows; absent: `data` itself. */
  readonly field?: string;
  readonly columns: readonly Column[];
}

/** Keys of a map that become columns; a larger map is one JSON column. */
const MAP_COLUMNS_MAX = 200;
/** Rows printed before other work runs. */
const ROWS_PER_TURN = 500;
const LINE_END = '\r\n';

/**
 * The list in the data of an endpoint: the data itself, or its only field that is a list of objects. `field` names one
 * of several. `undefined` if the data is not a list.
 */
export function listIn(data: TSchema, field?: string): List | undefined {
  const schema = data as RowSchema;
  const alternatives = schema.anyOf ?? [schema];
  const own = alternatives.find(isList);
  if (own?.items) return { columns: columnsOf(own.items) };
  for (const { properties = {} } of alternatives) {
    const lists = Object.entries(properties).filter(([, property]) => isList(property));
    const [found, ...others] = field === undefined ? lists : lists.filter(([name]) => name === field);
    if (found?.[1].items && others.length === 0)
      return { field: found[0], columns: columnsOf(found[1].items) };
  }
  return undefined;
}

function isList({ type, items }: RowSchema): boolean {
  return type === 'array' && items?.properties !== undefined;
}

/** Fields in schema order; nested objects are flattened in place. */
function columnsOf({ properties = {} }: RowSchema, path: readonly string[] = []): readonly Column[] {
  return Object.entries(properties).flatMap(([name, property]) => {
    const own = property.anyOf?.find((one) => one.type !== 'null') ?? property;
    const place = [...path, name];
    if (own.properties && Object.keys(own.properties).length > 0) return columnsOf(own, place);
    return [{ path: place, type: own.type ?? '', isMap: own.patternProperties !== undefined }];
  });
}

/** The list of an answer as CSV (RFC 4180): a header line, then one line per row. `caller` is whose turns it takes. */
export async function printCsv({ field, columns }: List, data: unknown, caller: string): Promise<Buffer> {
  const rows = (field === undefined ? data : valueAt(data, [field])) as readonly unknown[] | undefined;
  if (rows === undefined)
    throw new Failure(
      'bad_request',
      `Without the list \`${field}\` this answer has nothing to print as CSV: add the parameter that selects it, or request JSON.`,
    );
  const all: Column[] = [];
  for (const column of columns)
    all.push(...(column.isMap ? await mapColumns(column, rows, caller) : [column]));
  const lines = [all.map(({ path }) => cellOf(path.join('.'))).join(',')];
  for (const [i, row] of rows.entries()) {
    lines.push(all.map(({ path }) => cellOf(valueAt(row, path))).join(','));
    if ((i + 1) % ROWS_PER_TURN === 0) await nextTurn(caller);
  }
  return Buffer.from(lines.join(LINE_END) + LINE_END);
}

/** One column per key that any row has, in alphabetical order. */
async function mapColumns(
  column: Column,
  rows: readonly unknown[],
  caller: string,
): Promise<readonly Column[]> {
  const keys = new Map<string, readonly string[]>();
  for (const [i, row] of rows.entries()) {
    collectKeys(valueAt(row, column.path), column.path, keys);
    if ((i + 1) % ROWS_PER_TURN === 0) await nextTurn(caller);
  }
  if (keys.size > MAP_COLUMNS_MAX) return [column];
  return [...keys]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, path]) => ({ path, type: '', isMap: false }));
}

function collectKeys(value: unknown, path: readonly string[], keys: Map<string, readonly string[]>): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, entry] of Object.entries(value)) {
    const place = [...path, name];
    const isNested = typeof entry === 'object' && entry !== null && !Array.isArray(entry);
    if (isNested) collectKeys(entry, place, keys);
    else keys.set(place.join('.'), place);
  }
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  let at: unknown = value;
  for (const name of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[name];
  }
  return at;
}

/** A value as JSON, lists included; absent and null are empty. */
function cellOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

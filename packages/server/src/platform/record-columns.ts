import { NumberColumn } from './number-column.ts';

/** What a record may hold to be kept in columns. */
type Plain = string | number | boolean;

/** Which records are looked for. */
export interface Search<Row> {
  /** A number of at least this. */
  readonly atLeast?: { readonly field: keyof Row & string; readonly value: number };
  readonly equals?: { readonly field: keyof Row & string; readonly value: Plain };
}

interface Shape {
  readonly names: readonly string[];
  readonly fields: readonly Field[];
}

/**
 * Flat records as columns: a twentieth of what objects take once they are sealed. Fields may be absent from some
 * records; each comes back as it was put in, with its fields in the same order.
 */
export class RecordColumns<Row extends object> {
  readonly #fields = new Map<string, Field>();
  /** The combinations of fields met so far: a handful. */
  readonly #shapes: Shape[] = [];
  readonly #shapeAt = new NumberColumn();
  /** Of the record before: the next one mostly has the same. */
  #shape = 0;

  get length(): number {
    return this.#shapeAt.length;
  }

  push(row: Row): void {
    const names = Object.keys(row);
    if (!isSame(this.#shapes[this.#shape]?.names, names)) this.#shape = this.#shapeOf(names);
    const { fields } = this.#shapes[this.#shape] as Shape;
    const place = this.length;
    for (let i = 0; i < names.length; i += 1)
      (fields[i] as Field).put(place, (row as Record<string, unknown>)[names[i] as string]);
    this.#shapeAt.push(this.#shape);
  }

  at(i: number): Row {
    const { names, fields } = this.#shapes[this.#shapeAt.at(i)] as Shape;
    const row: Record<string, Plain> = {};
    for (let n = 0; n < names.length; n += 1) row[names[n] as string] = (fields[n] as Field).at(i);
    return row as Row;
  }

  /** One number of a record that has it. */
  number(field: keyof Row & string, i: number): number {
    return (this.#fields.get(field) as Field).raw(i);
  }

  /** A test of records by their places; `undefined` when none of them can pass. */
  matcher({ atLeast, equals }: Search<Row>): ((i: number) => boolean) | undefined {
    const larger = atLeast && this.#fields.get(atLeast.field);
    const same = equals && this.#fields.get(equals.field);
    const code = same?.codeOf(equals?.value as Plain);
    if ((atLeast && !larger) || (equals && code === undefined)) return undefined;
    const least = atLeast?.value ?? 0;
    const hasAll = this.#shapes.map(({ fields }) =>
      [larger, same].every((field) => !field || fields.includes(field)),
    );
    return (i) =>
      (!larger || larger.raw(i) >= least) &&
      (!same || same.raw(i) === code) &&
      (hasAll[this.#shapeAt.at(i)] as boolean);
  }

  seal(): void {
    this.#shapeAt.seal();
    for (const field of this.#fields.values()) field.seal();
  }

  #shapeOf(names: readonly string[]): number {
    const known = this.#shapes.findIndex((shape) => isSame(shape.names, names));
    if (known >= 0) return known;
    const fields = names.map((name) => {
      const field = this.#fields.get(name) ?? new Field(name);
      this.#fields.set(name, field);
      return field;
    });
    return this.#shapes.push({ names, fields }) - 1;
  }
}

function isSame(some: readonly string[] | undefined, others: readonly string[]): boolean {
  if (some?.length !== others.length) return false;
  for (let i = 0; i < some.length; i += 1) if (some[i] !== others[i]) return false;
  return true;
}

/** One field of all records: numbers as they are, texts and flags as the place of their first occurrence. */
class Field {
  readonly #name: string;
  readonly #column = new NumberColumn();
  #type: string | undefined;
  /** Texts and flags by their codes, and while there may be more of them the codes by these. */
  readonly #plain: Plain[] = [];
  #codes: Map<Plain, number> | undefined;
  #last: Plain | undefined;
  #lastCode = 0;

  constructor(name: string) {
    this.#name = name;
  }

  put(place: number, value: unknown): void {
    this.#type ??= typeof value;
    if (typeof value !== this.#type || !isPlain(value))
      throw new TypeError(`${this.#name} is ${String(value)}: a log in columns takes one plain type a field`);
    if (typeof value === 'number') return this.#column.put(place, value);
    // Most are what the record before had.
    if (value !== this.#last) {
      this.#last = value;
      this.#lastCode = this.#encode(value);
    }
    this.#column.put(place, this.#lastCode);
  }

  at(i: number): Plain {
    const raw = this.raw(i);
    return this.#type === 'number' ? raw : (this.#plain[raw] as Plain);
  }

  raw(i: number): number {
    return this.#column.at(i);
  }

  codeOf(value: Plain): number | undefined {
    if (typeof value === 'number') return value;
    const code = this.#plain.indexOf(value);
    return code < 0 ? undefined : code;
  }

  seal(): void {
    this.#column.seal();
    this.#codes = undefined;
  }

  #encode(value: Plain): number {
    this.#codes ??= new Map();
    let code = this.#codes.get(value);
    if (code === undefined) {
      code = this.#plain.push(value) - 1;
      this.#codes.set(value, code);
    }
    return code;
  }
}

function isPlain(value: unknown): value is Plain {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

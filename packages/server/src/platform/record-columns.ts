import { NumberTable } from './number-table.ts';
import type { MessageUnpacker } from './packed-messages.ts';

/** Values that a record in columns may have. */
type Plain = string | number | boolean;

/** Criteria of a search. */
export interface Search<Row> {
  /** A number of at least this. */
  readonly atLeast?: { readonly field: keyof Row & string; readonly value: number };
  readonly equals?: { readonly field: keyof Row & string; readonly value: Plain };
}

/** A flat record that was packed. */
export type PackedRow = Pick<MessageUnpacker, 'shape' | 'number' | 'value'>;

interface Shape {
  readonly names: readonly string[];
  readonly fields: readonly Field[];
}

/**
 * Flat records as columns: a twentieth of what objects take once they are sealed. Fields may be absent from some
 * records; each comes back as it was put in, with its fields in the same order.
 */
export class RecordColumns<Row extends object> {
  readonly #numbers: NumberTable;
  #fields: Field[] = [];
  /** The combinations of fields met so far: a handful. */
  #shapes: Shape[] = [];
  /** The column that says which of them a record has. */
  readonly #shapeColumn: number;
  /** Of the record before: the next one mostly has the same. */
  #shape = 0;
  #length = 0;

  /** The numbers may be in a table with more of the same records. */
  constructor(numbers = new NumberTable()) {
    this.#numbers = numbers;
    this.#shapeColumn = numbers.add();
  }

  get length(): number {
    return this.#length;
  }

  push(row: Row): void {
    const names = Object.keys(row);
    if (!isSame(this.#shapes[this.#shape]?.names, names)) this.#shape = this.#shapeOf(names);
    const { fields } = this.#shapes[this.#shape] as Shape;
    const place = this.#length;
    for (let i = 0; i < names.length; i += 1) {
      const field = fields[i] as Field;
      this.#numbers.put(
        field.column,
        place,
        field.encode((row as Record<string, unknown>)[names[i] as string]),
      );
    }
    this.#numbers.put(this.#shapeColumn, place, this.#shape);
    this.#length += 1;
  }

  /** Adds a record as it was packed, without an object. */
  pushPacked(packed: PackedRow): void {
    const { names, kinds } = packed.shape;
    if (!isSame(this.#shapes[this.#shape]?.names, names)) this.#shape = this.#shapeOf(names);
    const { fields } = this.#shapes[this.#shape] as Shape;
    const place = this.#length;
    for (let i = 0; i < names.length; i += 1) {
      const field = fields[i] as Field;
      this.#numbers.put(field.column, place, field.encode(packed.value(i, kinds[i])));
    }
    this.#numbers.put(this.#shapeColumn, place, this.#shape);
    this.#length += 1;
  }

  at(i: number): Row {
    const { names, fields } = this.#shapes[this.#numbers.at(this.#shapeColumn, i)] as Shape;
    const row: Record<string, Plain> = {};
    for (let n = 0; n < names.length; n += 1) {
      const field = fields[n] as Field;
      row[names[n] as string] = field.decode(this.#numbers.at(field.column, i));
    }
    return row as Row;
  }

  /** One number of a record that has it. */
  number(field: keyof Row & string, i: number): number {
    return this.#numbers.at((this.#field(field) as Field).column, i);
  }

  /** A test of records by their places; `undefined` when none of them can pass. */
  matcher({ atLeast, equals }: Search<Row>): ((i: number) => boolean) | undefined {
    const larger = atLeast && this.#field(atLeast.field);
    const same = equals && this.#field(equals.field);
    const code = same?.codeOf(equals?.value as Plain);
    if ((atLeast && !larger) || (equals && code === undefined)) return undefined;
    const least = atLeast?.value ?? 0;
    const hasAll = this.#shapes.map(({ fields }) =>
      [larger, same].every((field) => !field || fields.includes(field)),
    );
    const numbers = this.#numbers;
    return (i) =>
      (!larger || numbers.at(larger.column, i) >= least) &&
      (!same || numbers.at(same.column, i) === code) &&
      (hasAll[numbers.at(this.#shapeColumn, i)] as boolean);
  }

  /** Nothing is added any more, here and to the table of its numbers. */
  seal(): void {
    this.#numbers.seal();
    // Copies without the room for 16 more that an array gets with its first push: there are thousands of sealed blocks.
    this.#fields = this.#fields.slice();
    this.#shapes = this.#shapes.slice();
    for (const field of this.#fields) field.seal();
  }

  #field(name: string): Field | undefined {
    return this.#fields.find((field) => field.name === name);
  }

  #shapeOf(names: readonly string[]): number {
    const known = this.#shapes.findIndex((shape) => isSame(shape.names, names));
    if (known >= 0) return known;
    const fields = names.map((name) => {
      const own = this.#field(name);
      if (own) return own;
      const field = new Field(name, this.#numbers.add());
      this.#fields.push(field);
      return field;
    });
    return this.#shapes.push({ names, fields }) - 1;
  }
}

function isSame(some: readonly string[] | undefined, others: readonly string[]): boolean {
  if (some === others) return true;
  if (some?.length !== others.length) return false;
  for (let i = 0; i < some.length; i += 1) if (some[i] !== others[i]) return false;
  return true;
}

/** One field of all records: numbers as they are, texts and flags as the place of their first occurrence. */
class Field {
  readonly name: string;
  readonly column: number;
  #type: string | undefined;
  /** Texts and flags by their codes, … */
  #plain: Plain[] | undefined;
  /** … and while there may be more of them the codes by these, and the previous one: most are the same. */
  #open: { readonly codes: Map<Plain, number>; last: Plain; lastCode: number } | undefined;

  constructor(name: string, column: number) {
    this.name = name;
    this.column = column;
  }

  encode(value: unknown): number {
    this.#type ??= typeof value;
    if (typeof value !== this.#type || !isPlain(value))
      throw new TypeError(`${this.name} is ${String(value)}: a log in columns takes one plain type a field`);
    if (typeof value === 'number') return value;
    this.#open ??= { codes: new Map(), last: value, lastCode: this.#add(value) };
    const open = this.#open;
    if (value !== open.last) {
      open.codes.set(open.last, open.lastCode);
      open.lastCode = open.codes.get(value) ?? this.#add(value);
      open.last = value;
    }
    return open.lastCode;
  }

  decode(code: number): Plain {
    return this.#plain ? (this.#plain[code] as Plain) : code;
  }

  codeOf(value: Plain): number | undefined {
    if (!this.#plain) return typeof value === 'number' ? value : undefined;
    const code = this.#plain.indexOf(value);
    return code < 0 ? undefined : code;
  }

  seal(): void {
    this.#open = undefined;
    this.#plain = this.#plain?.slice();
  }

  #add(value: Plain): number {
    this.#plain ??= [];
    return this.#plain.push(value) - 1;
  }
}

function isPlain(value: unknown): value is Plain {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

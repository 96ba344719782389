/** Texts that are numbered; a record with another text is not packed. */
const TEXTS_MAX = 20_000;
const SHAPES_MAX = 200;
const FIRST_VALUES = 1_024;

type Kind = 'number' | 'string' | 'boolean';

/** The fields of a record in their order, and what each holds. */
interface Shape {
  readonly names: readonly string[];
  readonly kinds: readonly Kind[];
}

/** Flat records as numbers: a structured clone of one array costs a copy, one of each object several microseconds. */
export interface PackedMessages {
  /** For each message its topic, shape and fields; texts as their numbers, flags as 0 or 1. */
  readonly values: Float64Array;
  /** New shapes and texts, numbered in this order. */
  readonly shapes: readonly Shape[];
  readonly texts: readonly string[];
}

/** Packs the messages of a thread; numbers of shapes and texts stay the same for its life. */
export class MessagePacker {
  readonly #shapes: Shape[] = [];
  readonly #texts = new Map<string, number>();
  /** By topic, the shape of its last message: the next mostly has the same. */
  readonly #lastShapes: number[] = [];
  #values = new Float64Array(FIRST_VALUES);
  #length = 0;
  #newShapes: Shape[] = [];
  #newTexts: string[] = [];

  /** Adds a message to the next batch; `false` where it is not a flat record of plain values. */
  add(topic: number, message: object): boolean {
    const record = message as Readonly<Record<string, unknown>>;
    if (this.#write(topic, this.#lastShapes[topic] ?? -1, record)) return true;
    const shape = this.#shapeOf(record);
    if (shape < 0 || !this.#write(topic, shape, record)) return false;
    this.#lastShapes[topic] = shape;
    return true;
  }

  /** One pass over a record that has a shape; `false`, and nothing is added, if it has another. */
  #write(topic: number, number: number, record: Readonly<Record<string, unknown>>): boolean {
    const shape = this.#shapes[number];
    if (!shape) return false;
    const { names, kinds } = shape;
    const start = this.#length + 2;
    this.#makeRoom(start + names.length);
    const values = this.#values;
    let i = 0;
    // V8 reads the fields of a `for in` by their place. Records are plain objects: nothing is inherited.
    for (const name in record) {
      const value = record[name];
      if (i >= names.length || names[i] !== name || typeof value !== kinds[i]) return false;
      // A number goes straight into its place: returned by a function, it would be an object of its own.
      if (typeof value === 'number') values[start + i] = value;
      else {
        const packed = this.#numberOf(value as string | boolean);
        if (packed === undefined) return false;
        values[start + i] = packed;
      }
      i += 1;
    }
    if (i < names.length) return false;
    values[start - 2] = topic;
    values[start - 1] = number;
    this.#length = start + i;
    return true;
  }

  /** The messages that were added since the last call. */
  take(): PackedMessages['values'] {
    const values = this.#values.slice(0, this.#length);
    this.#length = 0;
    return values;
  }

  /** Whether there are shapes or texts that the reader does not know. */
  get hasNew(): boolean {
    return this.#newShapes.length > 0 || this.#newTexts.length > 0;
  }

  /** The shapes and texts first used since the last call; the reader needs them before the messages. */
  takeNew(): Omit<PackedMessages, 'values'> {
    const taken = { shapes: this.#newShapes, texts: this.#newTexts };
    this.#newShapes = [];
    this.#newTexts = [];
    return taken;
  }

  #numberOf(value: string | boolean): number | undefined {
    if (typeof value === 'boolean') return value ? 1 : 0;
    const known = this.#texts.get(value);
    if (known !== undefined || this.#texts.size >= TEXTS_MAX) return known;
    this.#newTexts.push(value);
    this.#texts.set(value, this.#texts.size);
    return this.#texts.size - 1;
  }

  /** The number of a record's shape; -1 where it cannot have one. */
  #shapeOf(record: Readonly<Record<string, unknown>>): number {
    const names = Object.keys(record);
    const known = this.#shapes.findIndex((shape) => fits(shape, names, record));
    if (known >= 0) return known;
    const kinds = names.map((name) => kindOf(record[name]));
    if (this.#shapes.length >= SHAPES_MAX || !kinds.every((kind) => kind !== undefined)) return -1;
    const shape = { names, kinds };
    this.#newShapes.push(shape);
    return this.#shapes.push(shape) - 1;
  }

  #makeRoom(length: number): void {
    if (length <= this.#values.length) return;
    const larger = new Float64Array(2 * length);
    larger.set(this.#values.subarray(0, this.#length));
    this.#values = larger;
  }
}

/** Unpacks the batches of one packer. */
export class MessageUnpacker {
  readonly #shapes: Shape[] = [];
  readonly #texts: string[] = [];
  #values: Float64Array = new Float64Array();
  #at = 0;

  /** The next batch. */
  open({ values, shapes, texts }: PackedMessages): void {
    this.continue(values, 0);
    for (const shape of shapes) this.#shapes.push(shape);
    for (const text of texts) this.#texts.push(text);
  }

  /** The next batch, without new shapes and texts, whose messages begin at a place. */
  continue(values: PackedMessages['values'], at: number): void {
    this.#values = values;
    this.#at = at;
  }

  /** The topic of the next message; call before reading it. */
  topic(): number {
    return this.#values[this.#at] as number;
  }

  /** The shape of the next message. */
  get shape(): Shape {
    return this.#shapes[this.#values[this.#at + 1] as number] as Shape;
  }

  /** A field of the next message, by its place in the shape: of a number the number itself. */
  number(i: number): number {
    return this.#values[this.#at + 2 + i] as number;
  }

  value(i: number, kind: Kind | undefined): string | number | boolean {
    const value = this.number(i);
    return kind === 'number' ? value : kind === 'string' ? (this.#texts[value] as string) : value === 1;
  }

  message(): object {
    const { names, kinds } = this.shape;
    const record: Record<string, unknown> = {};
    for (let i = 0; i < names.length; i += 1) record[names[i] as string] = this.value(i, kinds[i]);
    this.drop();
    return record;
  }

  /** Leaves out the next message. */
  drop(): void {
    this.#at += 2 + this.shape.names.length;
  }
}

function kindOf(value: unknown): Kind | undefined {
  const kind = typeof value;
  return kind === 'number' || kind === 'string' || kind === 'boolean' ? kind : undefined;
}

function fits(
  shape: Shape | undefined,
  names: readonly string[],
  record: Readonly<Record<string, unknown>>,
): boolean {
  if (shape?.names.length !== names.length) return false;
  for (let i = 0; i < names.length; i += 1) {
    const name = names[i] as string;
    if (shape.names[i] !== name || typeof record[name] !== shape.kinds[i]) return false;
  }
  return true;
}

/** JSON types by one letter each. */
const TYPE_LETTERS = { string: 's', number: 'n', boolean: 'b', null: 'z', object: 'o', array: 'a' } as const;
type TypeName = keyof typeof TYPE_LETTERS;
const typeNames = new Map(
  Object.entries(TYPE_LETTERS).map(([name, letter]) => [letter as string, name as TypeName]),
);
/** Marks a field that all samples have. */
const ALWAYS = '!';
/** Object keys that are data rather than names: symbols, ids, dates. */
const DATA_KEY = /^[A-Z0-9][A-Z0-9._]{2,}$|[-/:,\s]|^\d+$/;
/** Payloads have few levels; deeper ones are ignored. */
const DEPTH_MAX = 12;
/** Distinct fields of one source; a payload with more is keyed by data. */
const FIELDS_MAX = 2_000;

/** Every field of a source with its types: `{"result.list[].symbol": "s!"}`. */
export type FieldInventory = Readonly<Record<string, string>>;

interface FieldCount {
  count: number;
  readonly types: Set<TypeName>;
}

/** Counts the fields of JSON payloads. */
export class FieldCounter {
  readonly #fields = new Map<string, FieldCount>();
  /** Number of objects, by path. */
  readonly #objects = new Map<string, number>();

  add(payload: unknown): this {
    this.#walk(payload, '', DEPTH_MAX);
    return this;
  }

  inventory(): FieldInventory {
    const fields = [...this.#fields].map(([path, { count, types }]) => {
      const isAlways = count === this.#objects.get(parentOf(path));
      const letters = [...types].map((type) => TYPE_LETTERS[type]).toSorted();
      return [path, `${letters.join('')}${isAlways ? ALWAYS : ''}`] as const;
    });
    return Object.fromEntries(fields.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Fields, or types of fields, that are not in an inventory. */
  unseenIn(inventory: FieldInventory): readonly string[] {
    return [...this.#fields].flatMap(([path, { types }]) => {
      const known = inventory[path];
      if (known === undefined)
        return isBelowUnseen(path, inventory) ? [] : [`${path} (${[...types].join(', ')})`];
      const other = [...types].filter((type) => !known.includes(TYPE_LETTERS[type]));
      const before = known
        .split('')
        .flatMap((letter) => typeNames.get(letter) ?? [])
        .join(' or ');
      return other.length === 0 ? [] : [`${path} is ${other.join(', ')}, known as ${before}`];
    });
  }

  /** Fields that every sample has, and that objects lack here. */
  missingOf(inventory: FieldInventory): readonly string[] {
    return Object.entries(inventory).flatMap(([path, known]) => {
      const objects = this.#objects.get(parentOf(path)) ?? 0;
      const absent = objects - (this.#fields.get(path)?.count ?? 0);
      return known.endsWith(ALWAYS) && absent > 0 ? [`${path} (in ${absent} of ${objects})`] : [];
    });
  }

  #walk(value: unknown, path: string, depth: number): void {
    if (typeof value !== 'object' || value === null || depth === 0) return;
    if (Array.isArray(value)) {
      for (const item of value) this.#walk(item, `${path}[]`, depth - 1);
      return;
    }
    const entries = Object.entries(value);
    const isMap =
      entries.length > 0 && entries.filter(([key]) => DATA_KEY.test(key)).length * 2 >= entries.length;
    if (isMap) {
      for (const [, item] of entries) this.#walk(item, `${path}{}`, depth - 1);
      return;
    }
    this.#objects.set(path, (this.#objects.get(path) ?? 0) + 1);
    for (const [key, item] of entries) {
      const field = path === '' ? key : `${path}.${key}`;
      this.#count(field, typeOf(item));
      this.#walk(item, field, depth - 1);
    }
  }

  #count(field: string, type: TypeName): void {
    const before = this.#fields.get(field);
    if (!before && this.#fields.size >= FIELDS_MAX) return;
    const count = before ?? { count: 0, types: new Set() };
    count.count += 1;
    count.types.add(type);
    this.#fields.set(field, count);
  }
}

function typeOf(value: unknown): TypeName {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : (typeof value as TypeName);
}

/** `a.b[].c` is a field of the objects at `a.b[]`. */
function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('.')));
}

/** Whether the parent object of the field is itself missing from the inventory, and already reported. */
function isBelowUnseen(path: string, inventory: FieldInventory): boolean {
  const owner = parentOf(path).replace(/(\[\]|\{\})+$/, '');
  return owner !== '' && inventory[owner] === undefined;
}

/** Payloads whose fields are compared: those of a source, or of one kind of frame of a feed. */
export function fieldGroup(source: string, frameKind: string | undefined): string {
  return frameKind === undefined ? source : `${source} (${frameKind})`;
}

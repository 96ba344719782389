/** A schema of the OpenAPI document, as far as Python types need it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly description?: string;
  readonly default?: unknown;
}

const keywords = new Set(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
);

/** Whether a name can stand in Python code. */
export function isIdentifier(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !keywords.has(name);
}

/** `transform.groupBy.type` → `transform_group_by_type`; a keyword gets an underscore behind it. */
export function snakeCase(name: string): string {
  const snake = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase();
  return keywords.has(snake) ? `${snake}_` : snake;
}

/** The text as the inside of a docstring or a quoted string. */
export function pythonText(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replace(/\s+/g, ' ').trim();
}

const plainTypes: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
};

/** Objects within records get classes of their own, named after where they stand. */
export class PythonTypes {
  readonly #classes: string[] = [];

  /** The definitions of all classes so far, each after the classes that it uses. */
  get text(): string {
    return this.#classes.join('\n\n\n');
  }

  /** The type of a schema; `name` is for the class that it may need. */
  typeOf(schema: Schema, name: string): string {
    if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) as string;
    if (schema.const !== undefined) return literal([schema.const]);
    if (schema.enum) return literal(schema.enum);
    if (schema.anyOf) {
      const types = schema.anyOf.map((one, i) => this.typeOf(one, `${name}${i === 0 ? '' : i + 1}`));
      return `Union[${[...new Set(types)].join(', ')}]`;
    }
    if (schema.type === 'array') return this.#arrayType(schema, name);
    if (schema.type === 'object') return this.#objectType(schema, name);
    return plainTypes[schema.type ?? ''] ?? 'Any';
  }

  #arrayType({ items, prefixItems }: Schema, name: string): string {
    if (prefixItems) return `tuple[${prefixItems.map((one, i) => this.typeOf(one, name + i)).join(', ')}]`;
    return `list[${items ? this.typeOf(items, `${name}Item`) : 'Any'}]`;
  }

  #objectType(schema: Schema, name: string): string {
    if (schema.properties) {
      this.define(name, schema);
      return name;
    }
    const { additionalProperties: values } = schema;
    return `dict[str, ${typeof values === 'object' ? this.typeOf(values, `${name}Value`) : 'Any'}]`;
  }

  /** A TypedDict. Its required fields are a class below it where others are optional: Python 3.10 cannot mark one field. */
  define(name: string, { properties = {}, required = [], description = '' }: Schema): void {
    const fields = Object.entries(properties).map(
      ([field, schema]) => [field, this.typeOf(schema, name + capital(field))] as const,
    );
    const needed = fields.filter(([field]) => required.includes(field));
    const optional = fields.filter(([field]) => !required.includes(field));
    const doc = description === '' ? [] : [`    """${pythonText(description)}"""`];
    const below = `_${name}Required`;
    if (optional.length > 0 && needed.length > 0) this.#addClass(below, 'TypedDict', needed);
    if (optional.length === 0) this.#addClass(name, 'TypedDict', needed, doc);
    else this.#addClass(name, `${needed.length > 0 ? below : 'TypedDict'}, total=False`, optional, doc);
  }

  #addClass(
    name: string,
    bases: string,
    fields: readonly (readonly [string, string])[],
    doc: readonly string[] = [],
  ): void {
    const plain = fields.filter(([field]) => isIdentifier(field));
    // A keyword cannot be a field in the body of a class.
    const unnamable = fields.filter(([field]) => !isIdentifier(field));
    let all = bases;
    if (unnamable.length > 0) {
      const base = `_${name.replace(/^_/, '')}Keywords`;
      const total = bases.endsWith('total=False') ? ', total=False' : '';
      const entries = unnamable.map(([field, type]) => `"${field}": "${type.replaceAll('"', "'")}"`);
      this.#classes.push(`${base} = TypedDict("${base}", {${entries.join(', ')}}${total})`);
      all = bases.startsWith('TypedDict') ? bases.replace('TypedDict', base) : `${base}, ${bases}`;
    }
    const body = [...doc, plain.map(([field, type]) => `    ${field}: ${type}`).join('\n')];
    this.#classes.push(
      `class ${name}(${all}):\n${body.filter((part) => part !== '').join('\n\n') || '    pass'}`,
    );
  }
}

function literal(values: readonly unknown[]): string {
  const texts = values.map((value) =>
    typeof value === 'boolean' ? capital(String(value)) : value === null ? 'None' : JSON.stringify(value),
  );
  return `Literal[${texts.join(', ')}]`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

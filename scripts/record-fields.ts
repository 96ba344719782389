/** The part of docs/records.md that is printed: everything below this line. */
const HEADING = '## Every field';

interface Schema {
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly additionalProperties?: boolean | Schema;
  readonly required?: readonly string[];
}

type Schemas = Readonly<Record<string, Schema>>;

/** What was written by hand, followed by a table of every field of every record, from the schemas that validate them. */
export function recordsDocument(written: string, openApi: object, asyncApi: object): string {
  const { schemas } = (openApi as { components: { schemas: Schemas } }).components;
  const [head = ''] = written.split(`${HEADING}\n`);
  const records = Object.entries({ ...schemas, ...payloadsOf(asyncApi) });
  const tables = records
    .filter(([, schema]) => schema.properties)
    .map(([name, schema]) => {
      const rows = fieldsOf(schema, '', schemas).map(({ path, type, meaning }) => {
        if (meaning === '') throw new Error(`${name}.${path} has no meaning: describe it in its schema`);
        return `| \`${path}\` | ${type} | ${meaning} |`;
      });
      return `### ${name}\n\n${schema.description ?? ''}\n\n| Field | Type | Meaning |\n|---|---|---|\n${rows.join('\n')}\n`;
    });
  const about = 'Printed from the schemas that answers are validated with. A field marked ? may be absent.';
  return `${head.trimEnd()}\n\n${HEADING}\n\n${about}\n\n${tables.join('\n')}`;
}

/** Payloads of the WebSocket channels by title; those that are records of the REST API are listed there. */
function payloadsOf(asyncApi: object): Schemas {
  const { messages } = (
    asyncApi as { components: { messages: Readonly<Record<string, { readonly payload: Schema }>> } }
  ).components;
  return Object.fromEntries(
    Object.entries(messages).flatMap(([name, { payload }]) => {
      const channel = /^data\.(.+)$/.exec(name)?.[1];
      const fields = payload.properties?.['payload'];
      return channel && fields ? [[`\`payload\` of \`${channel}\` (WebSocket)`, fields]] : [];
    }),
  );
}

interface Field {
  readonly path: string;
  readonly type: string;
  readonly meaning: string;
}

function fieldsOf(
  { properties = {}, required = [] }: Schema,
  prefix: string,
  schemas: Schemas,
): readonly Field[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const path = `${prefix}${name}${required.includes(name) ? '' : '?'}`;
    const named = schema.$ref === undefined ? undefined : schemas[nameOf(schema.$ref)];
    const meaning = (schema.description ?? named?.description ?? '').trim();
    const own = { path, type: typeOf(schema), meaning: meaning.replaceAll('|', '\\|') };
    const { inner, marks } = innermost(schema);
    return [own, ...(inner.$ref === undefined ? fieldsOf(inner, `${prefix}${name}${marks}.`, schemas) : [])];
  });
}

/** The elements of lists and maps at any depth, with their notation: `[]` for a list, `{}` for a map. */
function innermost(schema: Schema, marks = ''): { readonly inner: Schema; readonly marks: string } {
  const { items, additionalProperties: values } = schema;
  if (items) return innermost(items, `${marks}[]`);
  return typeof values === 'object' ? innermost(values, `${marks}{}`) : { inner: schema, marks };
}

function typeOf(schema: Schema): string {
  const { $ref, enum: values, anyOf, items, type, const: value } = schema;
  if ($ref !== undefined) return `[${nameOf($ref)}](#${nameOf($ref).toLowerCase()})`;
  if (value !== undefined) return `\`${JSON.stringify(value)}\``;
  if (values) return values.map((one) => `\`${String(one)}\``).join(', ');
  if (anyOf) return anyOf.map(typeOf).join(' or ');
  if (items) return `list of ${typeOf(items)}`;
  return typeof type === 'string' ? type : (type ?? ['object']).join(' or ');
}

function nameOf(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1);
}

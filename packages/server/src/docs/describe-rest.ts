/** The part that is used here; see `docs/openapi.json`. */
export interface OpenApi {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface Operation {
  readonly tags?: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description?: string; readonly content?: Content }>>;
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

interface Parameter {
  readonly name: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

const BASE = '/api/v1';
const REF = '#/components/schemas/';
/** Deeper records are named, not spelled out. */
const DEPTH_MAX = 3;

/** The REST interface as Markdown: every path with its parameters, a call, and the fields of its answer. */
export function describeRest({ tags, paths, components }: OpenApi): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const known = tags.map(({ name }) => name);
  const chapters = tags.map(({ name, description }) => {
    const list = operations.filter(({ operation }) => operation.tags?.includes(name));
    return [
      `## ${name}\n\n${description}`,
      ...list.map(({ path, method, operation }) => endpoint(method, path, operation, components.schemas)),
    ].join('\n\n');
  });
  const untagged = operations.filter(({ operation }) => !operation.tags?.some((tag) => known.includes(tag)));
  const rest = untagged.map(({ path, method, operation }) =>
    endpoint(method, path, operation, components.schemas),
  );
  return [...chapters, ...(rest.length > 0 ? ['## other', ...rest] : [])].join('\n\n');
}

function endpoint(
  method: string,
  path: string,
  { summary, description, parameters = [], requestBody, responses }: Operation,
  schemas: Readonly<Record<string, Schema>>,
): string {
  const parts = [`### ${method.toUpperCase()} ${path}`, `**${summary}.** ${description}`];
  if (parameters.length > 0) {
    const rows = parameters.map(({ name, required, description: text = '', schema = {} }) => [
      `\`${name}${required ? '' : '?'}\``,
      typeText(schema),
      [text || (schema.description ?? ''), defaultText(schema)].filter(Boolean).join(' '),
    ]);
    parts.push(table(['Parameter', 'Type', 'Meaning'], rows));
  }
  const body = requestBody?.content['application/json']?.schema;
  if (body) parts.push('Body:', fieldTable(body, schemas));
  if (method === 'get')
    parts.push(`\`\`\`sh\ncurl -s '${origin}${BASE}${path}${exampleQuery(parameters)}'\n\`\`\``);
  const answer = responses['200'] ?? responses['202'];
  const schema = answer?.content?.['application/json']?.schema;
  const data = schema && (resolved(schema, schemas).properties?.['data'] ?? schema);
  if (data) parts.push('`data`:', fieldTable(data, schemas));
  const others = Object.keys(responses).filter((status) => !status.startsWith('2'));
  if (others.length > 0)
    parts.push(`Errors: ${others.map((status) => `\`${status}\``).join(', ')}. See [errors](errors.md).`);
  return parts.join('\n\n');
}

const origin = 'http://localhost:8080';

/** The required parameters, with example values. */
function exampleQuery(parameters: readonly Parameter[]): string {
  const given = parameters
    .filter(({ required }) => required)
    .map(({ name, schema = {} }) => `${name}=${encodeURIComponent(String(exampleOf(schema)))}`);
  return given.length > 0 ? `?${given.join('&')}` : '';
}

function exampleOf(schema: Schema): unknown {
  return schema.examples?.[0] ?? schema.default ?? schema.enum?.[0] ?? schema.items?.examples?.[0] ?? 'BTC';
}

function fieldTable(schema: Schema, schemas: Readonly<Record<string, Schema>>): string {
  const rows = fieldsOf(schema, schemas, '', 0);
  if (rows.length === 0) return typeText(schema);
  return table(['Field', 'Type', 'Meaning'], rows);
}

function fieldsOf(
  schema: Schema,
  schemas: Readonly<Record<string, Schema>>,
  before: string,
  depth: number,
): readonly (readonly string[])[] {
  const one = resolved(schema, schemas);
  if (one.items) return fieldsOf(one.items, schemas, `${before}[]`, depth);
  return Object.entries(one.properties ?? {}).flatMap(([name, field]) => {
    const path = before === '' || before === '[]' ? name : `${before}.${name}`;
    const inner = resolved(field, schemas);
    const row = [
      `\`${path}${one.required?.includes(name) ? '' : '?'}\``,
      typeText(inner),
      field.description ?? inner.description ?? '',
    ];
    const isDeep = inner.properties !== undefined || inner.items !== undefined;
    return isDeep && depth < DEPTH_MAX ? [row, ...fieldsOf(inner, schemas, path, depth + 1)] : [row];
  });
}

function resolved(schema: Schema, schemas: Readonly<Record<string, Schema>>): Schema {
  return schema.$ref?.startsWith(REF) ? (schemas[schema.$ref.slice(REF.length)] ?? {}) : schema;
}

function typeText(schema: Schema): string {
  if (schema.enum) return schema.enum.map((value) => `\`${String(value)}\``).join(', ');
  if (schema.$ref) return schema.$ref.slice(REF.length);
  if (schema.items) return `list of ${typeText(schema.items)}`;
  const any = schema.anyOf ?? schema.oneOf;
  if (any) return any.map(typeText).join(' or ');
  return typeof schema.type === 'string' ? schema.type : (schema.type?.join(' or ') ?? 'any');
}

function defaultText({ default: value }: Schema): string {
  if (value === undefined) return '';
  return `Default: \`${Array.isArray(value) ? value.join(',') : JSON.stringify(value)}\`.`.replaceAll(
    '"',
    '',
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ')).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

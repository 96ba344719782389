/** The part of JSON Schema that the AsyncAPI document uses. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
}

interface Message {
  readonly summary?: string;
  readonly payload: Schema;
  readonly examples?: readonly { readonly payload: unknown }[];
}

export interface AsyncApi {
  readonly components: {
    readonly messages: Readonly<Record<string, Message>>;
    readonly schemas: Readonly<Record<string, Schema>>;
  };
}

const DATA = 'data.';

/** The machine-readable description of the gateway as Markdown: every channel with its parameters and payload, then every other frame. */
export function describeGateway({ components: { messages, schemas } }: AsyncApi): string {
  const deref = (schema: Schema): Schema =>
    schema.$ref === undefined ? schema : (schemas[nameOf(schema.$ref)] ?? schema);
  const channels = Object.keys(messages).filter((name) => name.startsWith(DATA));
  const sections = channels.map((name) => {
    const channel = name.slice(DATA.length);
    const data = messages[name] as Message;
    const subscribe = messages[`subscribe.${channel}`] as Message;
    const payload = deref(deref(data.payload).properties?.payload ?? {});
    return [
      `### Channel ${channel}`,
      data.summary ?? '',
      `What \`subscribe\` takes:`,
      fieldTable(subscribe.payload, deref),
      'What the `payload` of a `data` frame has:',
      fieldTable(payload, deref),
      ...exampleOf(data),
    ].join('\n\n');
  });
  const others = Object.entries(messages)
    .filter(([name]) => !/^(un)?subscribe\.|^data\./.test(name))
    .map(([, { summary = '', payload, ...rest }]) => {
      const { op, type } = deref(payload).properties ?? {};
      const title = op ? `Client frame ${String(op.const)}` : `Server frame ${String(type?.const)}`;
      return [`### ${title}`, summary, fieldTable(payload, deref), ...exampleOf(rest)].join('\n\n');
    });
  const about = 'Printed from the machine-readable description. A field marked ? may be absent.';
  return ['## Every channel and frame', about, ...sections, ...others].join('\n\n');
}

function exampleOf({ examples }: Pick<Message, 'examples'>): readonly string[] {
  const [first] = examples ?? [];
  return first ? [`\`\`\`json\n${JSON.stringify(first.payload)}\n\`\`\``] : [];
}

type Deref = (schema: Schema) => Schema;

function fieldTable(schema: Schema, deref: Deref): string {
  const rows = fieldsOf(deref(schema), '', deref).map(
    ({ path, type, meaning }) => `| \`${path}\` | ${type} | ${meaning.replaceAll('|', '\\|')} |`,
  );
  return `| Field | Type | Meaning |\n|---|---|---|\n${rows.join('\n')}`;
}

interface Field {
  readonly path: string;
  readonly type: string;
  readonly meaning: string;
}

function fieldsOf(
  { properties = {}, required = [] }: Schema,
  prefix: string,
  deref: Deref,
): readonly Field[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const path = `${prefix}${name}${required.includes(name) ? '' : '?'}`;
    const standard = schema.default === undefined ? '' : ` Default \`${JSON.stringify(schema.default)}\`.`;
    const own = {
      path,
      type: typeOf(schema, deref),
      meaning: `${schema.description ?? deref(schema).description ?? ''}${standard}`,
    };
    const list = schema.items;
    const below = list ? `${prefix}${name}[].` : `${prefix}${name}.`;
    return [own, ...fieldsOf(deref(list ?? schema), below, deref)];
  });
}

function typeOf(schema: Schema, deref: Deref): string {
  const { enum: values, anyOf, items, type, const: value } = deref(schema);
  if (value !== undefined) return `\`${JSON.stringify(value)}\``;
  if (values) return values.map((one) => `\`${String(one)}\``).join(', ');
  if (anyOf) return anyOf.map((one) => typeOf(one, deref)).join(' or ');
  if (items) return `list of ${typeOf(items, deref)}`;
  return type ?? 'object';
}

function nameOf(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1);
}

import openapiTS, {
  astToString,
  COMMENT_HEADER,
  type OpenAPI3,
  type OpenAPITSOptions,
} from 'openapi-typescript';
import ts from 'typescript';
import { Meta } from '../packages/server/src/http/envelope.ts';
import { toOpenApi } from '../packages/server/src/http/openapi-schema.ts';

/** The document without the choice of a form where JSON is the default: the clients parse JSON. */
export function withoutForms<Document extends object>(openApi: Document): Document {
  const isForm = (value: unknown): boolean => {
    const { name, schema } = (value ?? {}) as { name?: string; schema?: { default?: string } };
    return name === 'format' && schema?.default === 'json';
  };
  return JSON.parse(
    JSON.stringify(openApi, (key, value: unknown) =>
      key === 'parameters' && Array.isArray(value) ? value.filter((one) => !isForm(one)) : value,
    ),
  ) as Document;
}

interface Fields {
  readonly properties: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
}

/** The part of `meta` that all answers have. */
const sharedMeta = JSON.parse(JSON.stringify(toOpenApi(Meta))) as Fields;

/** The types of every path for the client: what is asked and what a good answer is. Failures are one class there. */
export async function clientTypes(openApi: object): Promise<string> {
  const { paths, components, ...rest } = openApi as OpenAPI3;
  const schemas = {
    ...components?.schemas,
    Meta: { ...sharedMeta, description: 'The fields of `meta` that every answer may have.' },
  };
  const text = await typesOf({ ...rest, paths: withSharedMeta(paths), components: { schemas } });
  return text.replace(UNUSED_MEMBER, '');
}

/** Members that say that there is nothing, which the client does not ask for, and the headers of answers. */
const UNUSED_MEMBER =
  /^ +readonly (?:put|post|delete|options|head|patch|trace|header|path|cookie|requestBody)\?: never;\n|^ +headers: \{\n +readonly \[name: string\]: unknown;\n +\};\n/gm;

/** Each `meta` as the shared part and the fields of its own. */
function withSharedMeta(paths: OpenAPI3['paths']): OpenAPI3['paths'] {
  const shared = { $ref: '#/components/schemas/Meta' };
  return JSON.parse(
    JSON.stringify(paths, (key, value: Fields) => {
      if (key !== 'meta' || !('fetchedAt' in (value?.properties ?? {}))) return value;
      const own = Object.entries(value.properties).filter(([name]) => !(name in sharedMeta.properties));
      if (own.length === 0) return shared;
      const required = value.required?.filter((name) => !sharedMeta.required?.includes(name));
      return { allOf: [shared, { type: 'object', properties: Object.fromEntries(own), required }] };
    }),
  ) as OpenAPI3['paths'];
}

/** The types of every frame of the gateway for the client, by name. Records that REST has, too, are those of `api.ts`. */
export async function frameTypes(asyncApi: object, openApi: object): Promise<string> {
  const { info, components } = asyncApi as {
    info: object;
    components: { schemas: object; messages: Record<string, { payload: object }> };
  };
  const frames = Object.entries(components.messages).map(([name, { payload }]) => [name, payload]);
  const schemas = { ...components.schemas, ...Object.fromEntries(frames) };
  const records = Object.keys((openApi as OpenAPI3).components?.schemas ?? {});
  const ofRest = new Map(
    records.map((name) => [
      `#/components/schemas/${name}`,
      ts.factory.createTypeReferenceNode(`Rest["schemas"]["${name}"]`),
    ]),
  );
  return typesOf(
    { openapi: '3.1.0', info, paths: {}, components: { schemas } },
    {
      inject: 'import type { components as Rest } from "./api.ts";',
      transform: (_, { path = '' }) => ofRest.get(path),
    },
  );
}

async function typesOf(document: object, options: OpenAPITSOptions = {}): Promise<string> {
  const kept = JSON.parse(JSON.stringify(document), withoutNoise) as OpenAPI3;
  return COMMENT_HEADER + astToString(await openapiTS(kept, { immutable: true, ...options }));
}

function withoutNoise(key: string, value: unknown): unknown {
  if (key === 'responses' && typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).filter(([status]) => status.startsWith('2')));
  }
  const isNoise = ['example', 'examples', 'headers', 'tags'].includes(key);
  return isNoise ? undefined : value;
}

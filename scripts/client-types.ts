import openapiTS, { astToString, COMMENT_HEADER, type OpenAPI3 } from 'openapi-typescript';

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

/** The types of every path for the client: what is asked and what a good answer is. Failures are one class there. */
export async function clientTypes(openApi: object): Promise<string> {
  const { paths, components, ...rest } = openApi as OpenAPI3;
  const { schemas } = components ?? {};
  return typesOf({ ...rest, paths, components: { schemas } });
}

/** The types of every frame of the gateway for the client, under the names that its description gives them. */
export async function frameTypes(asyncApi: object): Promise<string> {
  const { info, components } = asyncApi as {
    info: object;
    components: { schemas: object; messages: Record<string, { payload: object }> };
  };
  const frames = Object.entries(components.messages).map(([name, { payload }]) => [name, payload]);
  const schemas = { ...components.schemas, ...Object.fromEntries(frames) };
  return typesOf({ openapi: '3.1.0', info, paths: {}, components: { schemas } });
}

async function typesOf(document: object): Promise<string> {
  const kept = JSON.parse(JSON.stringify(document), withoutNoise) as OpenAPI3;
  return COMMENT_HEADER + astToString(await openapiTS(kept, { immutable: true }));
}

function withoutNoise(key: string, value: unknown): unknown {
  if (key === 'responses' && typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).filter(([status]) => status.startsWith('2')));
  }
  const isNoise = ['example', 'examples', 'headers', 'tags'].includes(key);
  return isNoise ? undefined : value;
}

import openapiTS, { astToString, COMMENT_HEADER, type OpenAPI3 } from 'openapi-typescript';

/** The types of every path for the client: what is asked and what a good answer is. Failures are one class there. */
export async function clientTypes(document: object): Promise<string> {
  const { paths, components, ...rest } = structuredClone(document) as OpenAPI3;
  const { schemas } = components ?? {};
  const kept = {
    ...rest,
    paths: JSON.parse(JSON.stringify(paths), withoutNoise),
    components: JSON.parse(JSON.stringify({ schemas }), withoutNoise),
  } as OpenAPI3;
  return COMMENT_HEADER + astToString(await openapiTS(kept, { immutable: true }));
}

function withoutNoise(key: string, value: unknown): unknown {
  if (key === 'responses' && typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).filter(([status]) => status.startsWith('2')));
  }
  const isNoise = ['example', 'examples', 'headers', 'tags'].includes(key);
  return isNoise ? undefined : value;
}

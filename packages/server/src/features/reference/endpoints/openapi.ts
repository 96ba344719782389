import { Type } from 'typebox';
import { endpoint } from '../../context.ts';

export const openapi = endpoint({
  path: '/openapi',
  summary: 'OpenAPI document',
  description: 'The OpenAPI 3.1 document of the interface, as a plain document without envelope.',
  query: Type.Object({}),
  data: Type.Object(
    {
      openapi: Type.String({ description: 'Version of the OpenAPI format.', pattern: '^3\\.1\\.' }),
      info: Type.Object({
        title: Type.String({ description: 'Name of the interface.' }),
        version: Type.String({ description: 'Version of the interface.' }),
      }),
      paths: Type.Record(Type.String(), Type.Object({}), { description: 'Every path of the interface.' }),
      components: Type.Object({}, { description: 'The schemas and answers that the paths share.' }),
    },
    { description: 'An OpenAPI 3.1 document.' },
  ),
  hasEnvelope: false,
  cacheSeconds: 300,
  examples: [{ summary: 'The whole document', search: '' }],
  handle: (_query, { resources }) => ({
    data: resources.document,
    meta: { fetchedAt: resources.startedAtMs, source: 'crosstape' },
    asOfMs: Infinity,
  }),
});

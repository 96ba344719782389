import { Type } from 'typebox';
import { asyncApiDocument } from '../../../gateway/asyncapi.ts';
import { gatewayDefinitions } from '../../gateway-definitions.ts';
import { endpoint } from '../../context.ts';

const document = asyncApiDocument(gatewayDefinitions);

export const asyncapi = endpoint({
  path: '/asyncapi',
  summary: 'AsyncAPI document',
  description: 'The AsyncAPI 3 document of the WebSocket gateway, as a plain document without envelope.',
  query: Type.Object({}),
  data: Type.Object(
    {
      asyncapi: Type.String({ description: 'Version of the AsyncAPI format.', pattern: '^3\\.' }),
      info: Type.Object({
        title: Type.String({ description: 'Name of the interface.' }),
        version: Type.String({ description: 'Version of the interface.' }),
      }),
      channels: Type.Record(Type.String(), Type.Object({}), {
        description: 'The one address of the gateway.',
      }),
      operations: Type.Record(Type.String(), Type.Object({}), {
        description: 'Operations by direction.',
      }),
      components: Type.Object({}, { description: 'Every frame and record.' }),
    },
    { description: 'An AsyncAPI 3 document.' },
  ),
  hasEnvelope: false,
  cacheSeconds: 300,
  examples: [{ summary: 'The whole document', search: '' }],
  handle: (_query, { resources }) => ({
    data: document,
    meta: { fetchedAt: resources.startedAtMs, source: 'crosstape' },
    asOfMs: Infinity,
  }),
});

import { type TObject, type TSchema, Type } from 'typebox';
import { exampleOf, type Json, toOpenApi } from '../http/openapi-schema.ts';
import { GATEWAY_PATH } from '../http/route.ts';
import { AuthFrame, subscribeFrame, unsubscribeFrame } from './client-frames.ts';
import type { GatewayChannel } from './gateway-channel.ts';
import type { Operation } from './operation.ts';
import { dataFrame, serverFrames } from './server-frames.ts';

/** Version of the interface, which is also in its path. */
const VERSION = '1.0.0';

/** The part of the AsyncAPI document that its endpoint guarantees. */
export interface AsyncApiDocument {
  readonly asyncapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly channels: Readonly<Record<string, object>>;
  readonly operations: Readonly<Record<string, object>>;
  readonly components: object;
}

interface Message {
  readonly name: string;
  readonly summary: string;
  readonly payload: TSchema;
}

/** The features' contributions to the gateway. */
export interface GatewayDefinitions {
  readonly channels: readonly GatewayChannel[];
  readonly operations: readonly Omit<Operation, 'open'>[];
  /** Frames of the server besides those of every channel, by name. */
  readonly frames: Readonly<Record<string, TObject>>;
  /** Named schemas that frames refer to. */
  readonly schemas: readonly TObject[];
}

/** The AsyncAPI 3 description of the gateway, made from the definitions that also serve it. */
export function asyncApiDocument({
  channels,
  operations,
  frames,
  schemas,
}: GatewayDefinitions): AsyncApiDocument {
  const received: readonly Message[] = [
    { name: 'auth', summary: 'Authenticates, and chooses the format of the answers.', payload: AuthFrame },
    ...channels.map((channel) => ({
      name: `subscribe.${channel.name}`,
      summary: `Subscribes to ${channel.name}.`,
      payload: narrowed(subscribeFrame(channel), channel),
    })),
    ...channels.map((channel) => ({
      name: `unsubscribe.${channel.name}`,
      summary: `Unsubscribes from ${channel.name}.`,
      payload: narrowed(unsubscribeFrame(channel), channel),
    })),
    ...operations.map(({ name, summary, request }) => ({ name, summary, payload: request })),
  ];
  const sent: readonly Message[] = [
    ...Object.entries({
      ...serverFrames,
      ...frames,
      ...Object.assign({}, ...operations.map(({ responses }) => responses)),
    } as Readonly<Record<string, TObject>>).map(([name, payload]) => ({
      name,
      summary: String((payload as { description?: string }).description),
      payload,
    })),
    ...channels.map(({ name, summary, payload, markets }) => ({
      name: `data.${name}`,
      summary: `${summary}.`,
      payload: dataFrame(name, payload, markets !== undefined),
    })),
  ];
  const all = [...received, ...sent];
  const messages = Object.fromEntries(all.map((message) => [message.name, messageOf(message)]));
  const refs = (list: readonly Message[]) =>
    list.map(({ name }) => ({ $ref: `#/channels/gateway/messages/${name}` }));
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Crosstape gateway',
      version: VERSION,
      description: describe(channels),
      license: { name: 'Apache 2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/json',
    servers: {
      service: {
        host: '{host}',
        protocol: 'ws',
        description: 'This service.',
        variables: { host: { default: '127.0.0.1:8080', description: 'Where the service listens.' } },
      },
    },
    channels: {
      gateway: {
        address: GATEWAY_PATH,
        description: 'One socket carries every subscription and build of a client.',
        messages: Object.fromEntries(
          all.map(({ name }) => [name, { $ref: `#/components/messages/${name}` }]),
        ),
      },
    },
    operations: {
      receive: {
        action: 'receive',
        channel: { $ref: '#/channels/gateway' },
        summary: 'Frames sent by clients.',
        messages: refs(received),
      },
      send: {
        action: 'send',
        channel: { $ref: '#/channels/gateway' },
        summary: 'Frames sent by the service.',
        messages: refs(sent),
      },
    },
    components: { messages, schemas: schemasOf(messages, schemas) },
  } as AsyncApiDocument;
}

function describe(channels: readonly GatewayChannel[]): string {
  const list = channels.map(({ name, description }) => `- \`${name}\`: ${description}`);
  return `Live market data over one WebSocket: connect, authenticate (or stay anonymous), subscribe to channels and symbols. Frames are JSON; with \`format\` set to \`msgpack\` the service answers in binary frames of the same shapes.\n\n${list.join('\n')}`;
}

/** Fixes the `channel` field to this channel. */
function narrowed(frame: TObject, { name }: GatewayChannel): TObject {
  return Type.Object(
    {
      ...frame.properties,
      channel: Type.Literal(name, { description: 'Name of the channel.' }),
    },
    { additionalProperties: false },
  );
}

function messageOf({ name, summary, payload }: Message): Json {
  const example = exampleOf(payload);
  return {
    name,
    title: name,
    summary,
    payload: toOpenApi(payload),
    ...(example !== null && { examples: [{ payload: example }] }),
  };
}

/** The named schemas that messages refer to, directly or indirectly. */
function schemasOf(messages: Json, schemas: readonly TObject[]): Json {
  const definitions = new Map(
    schemas.map((schema) => [(schema as { $id?: string }).$id ?? '', toOpenApi(schema, 'definition')]),
  );
  const used: Record<string, Json> = {};
  const collect = (json: Json): void => {
    for (const [, name = ''] of JSON.stringify(json).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      const definition = definitions.get(name);
      if (definition === undefined || name in used) continue;
      used[name] = definition;
      collect(definition);
    }
  };
  collect(messages);
  return used;
}

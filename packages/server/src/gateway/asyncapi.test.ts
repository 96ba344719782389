import { readFile } from 'node:fs/promises';
import { Parser } from '@asyncapi/parser';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { asyncApiDocument } from './asyncapi.ts';
import { gatewayDefinitions } from '../features/gateway-definitions.ts';
import { errorCodes } from './server-frames.ts';

/** Errors and warnings; the rest is advice. */
const grave: readonly number[] = [0, 1];

const document = asyncApiDocument(gatewayDefinitions);

it('is a document that the reference parser takes', async () => {
  const { document: parsed, diagnostics } = await new Parser().parse(JSON.stringify(document));
  expect(diagnostics.filter(({ severity }) => grave.includes(severity))).toEqual([]);
  const { messages } = document.components as { messages: object };
  expect(parsed?.allMessages().all().length).toBe(Object.keys(messages).length);
});

it('is what docs/asyncapi.json says', async () => {
  const text = await readFile(new URL('../../../../docs/asyncapi.json', import.meta.url), 'utf8');
  expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(document)));
});

it('has an example of every payload, which fits', () => {
  const { schemas, messages } = document.components as {
    schemas: Record<string, object>;
    messages: Record<string, { payload: object; examples?: readonly { payload: unknown }[] }>;
  };
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  ajv.addSchema({ $id: 'doc', components: { schemas } });
  for (const [name, message] of Object.entries(messages)) {
    const check = ajv.compile(
      JSON.parse(JSON.stringify(message.payload).replaceAll('"#/', '"doc#/')) as object,
    );
    for (const { payload } of message.examples ?? []) {
      expect(check(payload), `${name}: ${ajv.errorsText(check.errors)}`).toBe(true);
    }
  }
  for (const { name, payload } of gatewayDefinitions.channels) {
    expect((payload as { examples?: unknown[] }).examples, name).toHaveLength(1);
  }
});

it('says every code of errors in the documentation for client writers', async () => {
  const text = await readFile(new URL('../../../../docs/websocket.md', import.meta.url), 'utf8');
  for (const word of [...errorCodes, ...gatewayDefinitions.channels.map(({ name }) => name)])
    expect(text).toContain(`\`${word}\``);
});

import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerOptions,
} from '@modelcontextprotocol/server';
import { Failure, failureCodes } from '../../platform/errors.ts';
import { toOpenApi } from '../../http/openapi-schema.ts';
import { readBody } from '../../http/read-body.ts';
import type { Page } from '../../http/route.ts';
import { listedPrompts, readPrompt } from './prompts.ts';
import { listResources, readResource, resourceTemplates } from './resources.ts';
import type { Rest } from './rest.ts';
import { creditsOf, structuredOf, type Tool } from './tool.ts';
import { tools } from './tools.ts';

const INSTRUCTIONS =
  'Crosstape is a read-only market-data service for crypto perpetuals, spot, options and flows. Start with market_brief. Every result has asOf, ageMs, source, coverage, inferred and units: quote them, mention gaps when coverage is partial, and show attribution where there is one. A source that begins with sim: is a simulated market.';

/** A call that takes longer is refused: bars of a long range wait up to 20 seconds for their build. */
const CALL_MAX_MS = 30_000;

/** Lists change only with the version of the service. */
const list = { ttlMs: 600_000, cacheScope: 'public' } as const;
const cacheHints: NonNullable<ServerOptions['cacheHints']> = {
  'server/discover': list,
  'tools/list': list,
  'prompts/list': list,
  'resources/list': list,
  'resources/templates/list': list,
  'resources/read': { ttlMs: 10_000, cacheScope: 'public' },
};

export interface ServerDetails {
  readonly version: string;
  /** Pages of the service: those of the documentation are resources. */
  readonly pages: readonly Page[];
}

/** One message of a client: its readers, and the unexpected error of its answer. */
export interface Call {
  readonly rest: Rest;
  fault?: unknown;
}

/** The server that answers one message. */
export function createServer(
  era: 'legacy' | 'modern',
  call: Call,
  { version, pages }: ServerDetails,
): Server {
  // Clients of the older revisions would need a session to be notified.
  const resources = era === 'modern' ? { subscribe: true } : {};
  const server = new Server(
    { name: 'crosstape', title: 'Crosstape', version },
    { capabilities: { tools: {}, prompts: {}, resources }, instructions: INSTRUCTIONS, cacheHints },
  );
  server.setRequestHandler('tools/list', () => ({ tools: [...listedTools] }));
  server.setRequestHandler('tools/call', ({ params }) => guard(call, () => callTool(params, call.rest)));
  server.setRequestHandler('resources/list', () => ({ resources: [...listResources(pages)] }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [...resourceTemplates] }));
  server.setRequestHandler('resources/read', ({ params }) =>
    guard(call, async () => ({ contents: [await readResource(params.uri, call.rest, pages)] })),
  );
  server.setRequestHandler('prompts/list', () => ({ prompts: [...listedPrompts] }));
  server.setRequestHandler('prompts/get', ({ params }) =>
    guard(call, () => readPrompt(params.name, params.arguments ?? {})),
  );
  return server;
}

/** A refusal becomes a protocol error; anything else is kept for the service's log. */
async function guard<Result>(call: Call, run: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    if (error instanceof Failure) throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
    call.fault = error;
    throw new ProtocolError(ProtocolErrorCode.InternalError, 'The service failed to answer.');
  }
}

const listedTools = tools.map(({ name, title, description, input }) => ({
  name,
  title,
  description,
  inputSchema: toOpenApi(input) as { type: 'object' },
  outputSchema: {
    type: 'object' as const,
    required: ['asOf', 'ageMs', 'source', 'coverage', 'inferred', 'units'],
    properties: {
      asOf: {
        type: 'integer',
        description: 'Time of the newest upstream fetch, in ms since the Unix epoch.',
      },
      ageMs: { type: 'number', description: 'Age of the figures in milliseconds.' },
      source: {
        type: 'string',
        description: 'Venues that the figures come from; sim: marks a simulated market.',
      },
      attribution: {
        type: 'array',
        items: { type: 'object' },
        description: 'Credits that the terms of sources ask for: show `text` with a link to `url`.',
      },
      coverage: {
        enum: ['complete', 'partial', 'unknown'],
        description: 'How much of the request the figures cover.',
      },
      gaps: {
        type: 'array',
        items: { type: 'object' },
        description: 'With partial: times that are missing.',
      },
      inferred: { type: 'boolean', description: 'Whether a figure is inferred rather than reported.' },
      units: { type: 'object', additionalProperties: { type: 'string' }, description: 'Field to unit.' },
    },
  },
  annotations: { readOnlyHint: true, idempotentHint: true, destructiveHint: false, openWorldHint: true },
}));

export async function callTool(
  params: { readonly name: string; readonly arguments?: unknown },
  rest: Rest,
): Promise<CallToolResult> {
  const tool = tools.find(({ name }) => name === params.name);
  if (!tool) {
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `There is no tool ${params.name}; there are ${tools.map(({ name }) => name).join(', ')}.`,
    );
  }
  try {
    return await rest.within(CALL_MAX_MS, resultOf(tool, params.arguments ?? {}, rest));
  } catch (error) {
    // The model reads refusals: they say what is wrong and what is allowed.
    if (error instanceof Failure)
      return { content: [{ type: 'text', text: error.message + retryHint(error) }], isError: true };
    throw error;
  }
}

/** A model does not retry a failure unless it reads that a retry can succeed. */
function retryHint({ code, details: { retryAfterSeconds } }: Failure): string {
  if (failureCodes[code].retry === 'never') return '';
  return ` Try again in ${retryAfterSeconds === undefined ? 'a few' : retryAfterSeconds} seconds.`;
}

async function resultOf(tool: Tool, given: unknown, rest: Rest): Promise<CallToolResult> {
  const result = await tool.call(readBody(tool.input, given, rest.venues), rest);
  const { text, csv, hint } = result;
  const credits = creditsOf(result).map((credit) => `${credit.text} (${credit.url}).`);
  const paragraph = [text, ...(hint === undefined ? [] : [hint]), ...credits].join(' ');
  const content = [paragraph, ...(csv === undefined ? [] : [csv])];
  return {
    content: content.map((one) => ({ type: 'text', text: one })),
    structuredContent: structuredOf(result, rest.nowMs),
  };
}

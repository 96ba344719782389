import { Failure, failureCodes } from '../../platform/errors.ts';
import { readBody } from '../../http/read-body.ts';
import type { Page } from '../../http/route.ts';
import { listedPrompts, readPrompt } from './prompts.ts';
import {
  isRecord,
  LEGACY,
  type Params,
  RpcError,
  type RpcRequest,
  rpcCodes,
  SERVER_INFO_META,
  supportedVersions,
} from './protocol.ts';
import { listResources, readResource, resourceTemplates } from './resources.ts';
import type { Rest } from './rest.ts';
import { structuredOf, type Tool } from './tool.ts';
import { tools } from './tools.ts';

/** Lists change only with the version of the service. */
const LIST_TTL_MS = 600_000;
const READ_TTL_MS = 10_000;

const INSTRUCTIONS =
  'Crosstape is a read-only market-data service for crypto perpetuals, spot, options and flows. Start with market_brief. Every result has asOf, ageMs, source, coverage, inferred and units: quote them, and mention gaps when coverage is partial. A source that begins with sim: is a simulated market.';

const capabilities = { tools: {}, resources: {}, prompts: {} };
/** The older revisions would need sessions for subscriptions. */
const modernCapabilities = { ...capabilities, resources: { subscribe: true } };

export interface ServeOptions {
  readonly version: string;
  readonly rest: Rest;
  /** Pages of the service: those of the documentation are resources. */
  readonly pages: readonly Page[];
}

const listedTools = tools.map(({ name, title, description, input }) => ({
  name,
  title,
  description,
  inputSchema: input,
  outputSchema: {
    type: 'object',
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

/** The result of a method. Throws `RpcError`. */
export async function serve(request: RpcRequest, options: ServeOptions): Promise<object> {
  const { method, params, id, isModern } = request;
  const serverInfo = { name: 'crosstape', title: 'Crosstape', version: options.version };
  const cached = (result: object, ttlMs: number): object =>
    isModern ? { ...result, ttlMs, cacheScope: 'public' } : result;
  const result = await methodResult();
  return isModern ? { resultType: 'complete', ...result, _meta: { [SERVER_INFO_META]: serverInfo } } : result;

  async function methodResult(): Promise<object> {
    switch (method) {
      case 'server/discover':
        if (!isModern) throw unknownMethod(request);
        return cached(
          { supportedVersions, capabilities: modernCapabilities, instructions: INSTRUCTIONS },
          LIST_TTL_MS,
        );
      case 'initialize':
        if (isModern) throw unknownMethod(request);
        return {
          protocolVersion: agreedVersion(params),
          capabilities,
          serverInfo,
          instructions: INSTRUCTIONS,
        };
      case 'ping':
        if (isModern) throw unknownMethod(request);
        return {};
      case 'tools/list':
        return cached({ tools: listedTools }, LIST_TTL_MS);
      case 'tools/call':
        return callTool(request, options.rest);
      case 'resources/list':
        return cached({ resources: listResources(options.pages) }, LIST_TTL_MS);
      case 'resources/templates/list':
        return cached({ resourceTemplates }, LIST_TTL_MS);
      case 'resources/read': {
        const contents = await orRpcError(
          () => readResource(String(params.uri), options.rest, options.pages),
          isModern ? rpcCodes.invalidParams : rpcCodes.resourceNotFound,
          id,
        );
        return cached({ contents: [contents] }, READ_TTL_MS);
      }
      case 'prompts/list':
        return cached({ prompts: listedPrompts }, LIST_TTL_MS);
      case 'prompts/get': {
        const given = isRecord(params.arguments) ? params.arguments : {};
        return orRpcError(() => readPrompt(params.name, given), rpcCodes.invalidParams, id);
      }
      default:
        throw unknownMethod(request);
    }
  }
}

/** The version that the client wants, or the newest of its kind. */
function agreedVersion({ protocolVersion }: Params): string {
  return (LEGACY as readonly unknown[]).includes(protocolVersion) ? (protocolVersion as string) : LEGACY[0];
}

async function callTool({ params, id }: RpcRequest, rest: Rest): Promise<object> {
  const tool = tools.find(({ name }) => name === params.name);
  if (!tool) {
    throw new RpcError(
      `There is no tool ${String(params.name)}; there are ${tools.map(({ name }) => name).join(', ')}.`,
      { status: 200, code: rpcCodes.invalidParams, id },
    );
  }
  try {
    return await resultOf(tool, params.arguments ?? {}, rest);
  } catch (error) {
    // A refusal is for the model to read: it says what is wrong and what is allowed.
    if (error instanceof Failure)
      return { content: [{ type: 'text', text: error.message + retryHint(error) }], isError: true };
    throw error;
  }
}

/** A model gives up on what fails once unless it reads that a retry can succeed. */
function retryHint({ code, details: { retryAfterSeconds } }: Failure): string {
  if (failureCodes[code].retry === 'never') return '';
  return ` Try again in ${retryAfterSeconds === undefined ? 'a few' : retryAfterSeconds} seconds.`;
}

async function resultOf(tool: Tool, given: unknown, rest: Rest): Promise<object> {
  const result = await tool.call(readBody(tool.input, given), rest);
  const { text, csv, hint } = result;
  const content = [hint === undefined ? text : `${text} ${hint}`, ...(csv === undefined ? [] : [csv])];
  return {
    content: content.map((one) => ({ type: 'text', text: one })),
    structuredContent: structuredOf(result, rest.nowMs),
  };
}

export async function orRpcError<Result>(
  run: () => Result | Promise<Result>,
  code: number,
  id: RpcRequest['id'],
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Failure) throw new RpcError(error.message, { status: 200, code, id });
    throw error;
  }
}

function unknownMethod({ method, id, isModern }: RpcRequest): RpcError {
  return new RpcError(`There is no method ${method}.`, {
    status: isModern ? 404 : 200,
    code: rpcCodes.methodNotFound,
    id,
  });
}

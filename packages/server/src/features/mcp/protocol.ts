import type { IncomingHttpHeaders } from 'node:http';

/** The stateless revision: every request describes itself. */
const MODERN = '2026-07-28';
/** Revisions that begin with `initialize`, newest first. */
export const LEGACY = ['2025-11-25', '2025-06-18', '2025-03-26'] as const;
export const supportedVersions: readonly string[] = [MODERN, ...LEGACY];

const META = 'io.modelcontextprotocol/';
export const VERSION_META = `${META}protocolVersion`;
const CAPABILITIES_META = `${META}clientCapabilities`;
export const SERVER_INFO_META = `${META}serverInfo`;
export const SUBSCRIPTION_META = `${META}subscriptionId`;

/** Codes of JSON-RPC and of the protocol. */
export const rpcCodes = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  resourceNotFound: -32002,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
} as const;

/** Methods whose target a modern request repeats in a header, and where the target is. */
const namedMethods: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'resources/read': 'uri',
  'prompts/get': 'name',
};

export type RpcId = string | number;
export type Params = Readonly<Record<string, unknown>>;

export interface RpcRequest {
  /** Absent in a notification. */
  readonly id?: RpcId;
  readonly method: string;
  readonly params: Params;
  readonly isModern: boolean;
}

/** A refusal: the HTTP status, and the error of JSON-RPC. */
export class RpcError extends Error {
  readonly status: number;
  readonly code: number;
  readonly data: unknown;
  readonly id: RpcId | undefined;

  constructor(
    message: string,
    options: { status: number; code: number; data?: unknown; id?: RpcId | undefined },
  ) {
    super(message);
    this.status = options.status;
    this.code = options.code;
    this.data = options.data;
    this.id = options.id;
  }
}

/** Reads a message of a client and checks it against its headers. Throws `RpcError`. */
export function readRequest(headers: IncomingHttpHeaders, body: unknown): RpcRequest {
  if (!isRecord(body) || body.jsonrpc !== '2.0' || typeof body.method !== 'string') {
    throw invalid('The body must be one JSON-RPC 2.0 request or notification.');
  }
  const { method, id, params = {} } = body;
  if (id !== undefined && typeof id !== 'string' && typeof id !== 'number')
    throw invalid('`id` must be text or a number.');
  if (!isRecord(params)) throw invalid('`params` must be an object.', id);
  const { _meta: given } = params;
  const meta = isRecord(given) ? given : {};
  const isModern =
    meta[VERSION_META] !== undefined ||
    headers['mcp-method'] !== undefined ||
    headers['mcp-protocol-version'] === MODERN;
  const request = { method, params, isModern, ...(id !== undefined && { id }) };
  checkAccept(headers, id);
  if (isModern) checkModern(headers, request, meta);
  else checkLegacy(headers, request);
  return request;
}

function checkAccept({ accept = '' }: IncomingHttpHeaders, id: RpcId | undefined): void {
  const takes = (type: string): boolean => accept.includes(type) || accept.includes('*/*');
  if (takes('application/json') && takes('text/event-stream')) return;
  throw new RpcError('`Accept` must list application/json and text/event-stream.', {
    status: 406,
    code: rpcCodes.invalidRequest,
    id,
  });
}

function checkModern(headers: IncomingHttpHeaders, { id, method, params }: RpcRequest, meta: Params): void {
  const version = meta[VERSION_META];
  const header = headers['mcp-protocol-version'];
  if (header === undefined || header !== version) {
    throw mismatch(
      `Header MCP-Protocol-Version (${String(header ?? 'missing')}) must equal params._meta["${VERSION_META}"] (${JSON.stringify(version) ?? 'missing'}).`,
      id,
    );
  }
  if (version !== MODERN) throw unsupported(String(version), id);
  if (headers['mcp-method'] !== method) {
    throw mismatch(
      `Header Mcp-Method (${String(headers['mcp-method'] ?? 'missing')}) must equal the method (${method}).`,
      id,
    );
  }
  const target = namedMethods[method];
  if (target !== undefined && decodeName(headers['mcp-name']) !== params[target]) {
    throw mismatch(
      `Header Mcp-Name (${String(headers['mcp-name'] ?? 'missing')}) must equal params.${target}.`,
      id,
    );
  }
  if (id !== undefined && !isRecord(meta[CAPABILITIES_META])) {
    throw new RpcError(`params._meta["${CAPABILITIES_META}"] is required.`, {
      status: 400,
      code: rpcCodes.invalidParams,
      id,
    });
  }
}

function checkLegacy(headers: IncomingHttpHeaders, { id, method }: RpcRequest): void {
  const version = headers['mcp-protocol-version'];
  // A client names the version that `initialize` agreed on; an older one names none.
  if (version === undefined || method === 'initialize') return;
  if (!supportedVersions.includes(String(version))) throw unsupported(String(version), id);
}

/** A name that is not plain ASCII comes as `=?base64?…?=`. */
function decodeName(header: string | string[] | undefined): string | undefined {
  const text = Array.isArray(header) ? header[0] : header;
  const encoded = /^=\?base64\?([A-Za-z0-9+/=]*)\?=$/.exec(text ?? '')?.[1];
  return encoded === undefined ? text : Buffer.from(encoded, 'base64').toString();
}

export function isRecord(value: unknown): value is Params {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalid(message: string, id?: RpcId): RpcError {
  return new RpcError(message, { status: 400, code: rpcCodes.invalidRequest, id });
}

function mismatch(message: string, id: RpcId | undefined): RpcError {
  return new RpcError(message, { status: 400, code: rpcCodes.headerMismatch, id });
}

function unsupported(requested: string, id: RpcId | undefined): RpcError {
  return new RpcError(`Protocol version ${requested} is not supported.`, {
    status: 400,
    code: rpcCodes.unsupportedVersion,
    data: { supported: supportedVersions, requested },
    id,
  });
}

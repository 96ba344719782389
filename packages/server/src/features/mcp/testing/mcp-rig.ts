import { publishSampleFlows, sampleFlowHistory } from '../../../api/testing/sample-flows.ts';
import { publishSampleMarket, samplePrints } from '../../../api/testing/sample-market.ts';
import { publishSampleOptions } from '../../../api/testing/sample-options.ts';
import { recordSampleTape } from '../../../api/testing/sample-tape.ts';
import { startTestApi, type TestAnswer, type TestApi } from '../../../api/testing/test-api.ts';
import { fixedPage } from '../../../http/fixed-page.ts';

export const MODERN = '2026-07-28';
export const accept = 'application/json, text/event-stream';

interface Structured {
  readonly asOf: number;
  readonly ageMs: number;
  readonly source: string;
  readonly coverage: string;
  readonly inferred: boolean;
  readonly units: object;
  readonly gaps?: readonly object[];
  readonly [figure: string]: unknown;
}

export interface Rpc {
  readonly result?: {
    readonly content: readonly { readonly text: string }[];
    readonly structuredContent: Structured;
    readonly isError?: boolean;
    readonly [field: string]: unknown;
  };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** The interface with sample data, and requests of both revisions to its MCP page. */
export class McpRig {
  readonly api: TestApi;

  static async open(): Promise<McpRig> {
    const docs = fixedPage({ path: '/docs/python.md', contentType: 'text/markdown', body: '# Python\n' });
    const api = await startTestApi({
      prints: samplePrints,
      hasTape: true,
      flowHistory: sampleFlowHistory,
      pages: [docs],
    });
    publishSampleMarket(api);
    publishSampleOptions(api);
    await recordSampleTape(api);
    publishSampleFlows(api);
    return new McpRig(api);
  }

  private constructor(api: TestApi) {
    this.api = api;
  }

  post(body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<TestAnswer> {
    const all = { 'Content-Type': 'application/json', Accept: accept, ...headers };
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return this.api.fetch('/mcp', { method: 'POST', headers: all, body: text });
  }

  /** A request of the revisions that begin with `initialize`. */
  async legacy(method: string, params: object = {}): Promise<Rpc> {
    const message = { jsonrpc: '2.0', id: 1, method, params };
    const answer = await this.post(message, { 'MCP-Protocol-Version': '2025-11-25' });
    return JSON.parse(answer.text) as Rpc;
  }

  /** A request that describes itself. */
  modern(method: string, params: { name?: string; arguments?: object } = {}): Promise<TestAnswer> {
    const { name } = params;
    const headers = {
      'MCP-Protocol-Version': MODERN,
      'Mcp-Method': method,
      ...(name && { 'Mcp-Name': name }),
    };
    return this.post(envelope(method, params), headers);
  }

  async call(name: string, given: object): Promise<NonNullable<Rpc['result']>> {
    const { text } = await this.modern('tools/call', { name, arguments: given });
    return (JSON.parse(text) as Rpc).result as NonNullable<Rpc['result']>;
  }

  async rest<Data>(path: string): Promise<{ data: Data; fetchedAt: number }> {
    const { body } = await this.api.get(path);
    return { data: body.data as Data, fetchedAt: body.meta.fetchedAt as number };
  }

  close(): Promise<void> {
    return this.api.close();
  }
}

export function envelope(method: string, params: object = {}, version = MODERN): object {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return { jsonrpc: '2.0', id: 7, method, params: { ...params, _meta: meta } };
}

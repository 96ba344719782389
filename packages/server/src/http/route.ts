import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Failure } from '../platform/errors.ts';
import type { Answer } from './answer.ts';
import type { Streamed } from './streamed.ts';
import type { Endpoint } from './endpoint.ts';
import type { StreamDefinition } from './stream-definition.ts';
import type { Admission } from './gate.ts';

/** Base path of the API. */
export const BASE_PATH = '/api/v1';
/** Path of the WebSocket gateway. */
export const GATEWAY_PATH = '/ws/v1';

export interface PageReply {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  /** Additional headers: name, value, name, value. */
  readonly headers?: readonly string[];
  /** What a browser may load for it (CSP); default: nothing. */
  readonly policy?: string;
}

/** A request for a page. */
export interface Visit {
  readonly request: IncomingMessage;
  readonly admission: Admission;
  /** The JSON body, of a page that takes one. */
  readonly body?: unknown;
}

/** A resource outside the API, for its own origin only. */
export interface Page {
  readonly path: string;
  /** Default: GET and HEAD. */
  readonly methods?: readonly string[];
  /** Whether a request counts towards the quota of the API, with keys. */
  readonly isCounted?: boolean;
  /** Cost of a request to a URL, for either quota. Default: 1. */
  readonly cost?: number | ((url: string) => number);
  /** Whether a body is never read, whatever the method. */
  readonly ignoresBody?: boolean;
  /** Returns a page for this request, a shared one (`fixedPage`), or one that is streamed. */
  handle(visit: Visit): PageReply | Answer | Streamed | Promise<PageReply | Answer | Streamed>;
}

/** The handler of a URL. */
export type Route = { readonly url: string; readonly methods: readonly string[] } & (
  | { readonly kind: 'endpoint'; readonly endpoint: Endpoint }
  | { readonly kind: 'stream'; readonly definition: StreamDefinition }
  | { readonly kind: 'page'; readonly page: Page }
);

/** A request that goes through the router. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Absent if no route matches. */
  readonly route?: Route;
  /** The parsed body, for a route that takes one. */
  readonly body?: unknown;
  /** Why the body could not be read. */
  readonly problem?: Failure;
}

export function routesOf(
  endpoints: readonly Endpoint[],
  definitions: readonly StreamDefinition[],
  pages: readonly Page[],
): readonly Route[] {
  return [
    ...endpoints.map((endpoint): Route => {
      const methods = endpoint.method === 'GET' ? ['GET', 'HEAD'] : [endpoint.method];
      return { kind: 'endpoint', url: BASE_PATH + endpoint.path, methods, endpoint };
    }),
    ...definitions.map((definition): Route => {
      return { kind: 'stream', url: BASE_PATH + definition.path, methods: ['GET'], definition };
    }),
    ...pages.map((page): Route => {
      return { kind: 'page', url: page.path, methods: page.methods ?? ['GET', 'HEAD'], page };
    }),
  ];
}

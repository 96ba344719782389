import type { components, paths } from './generated/api.ts';

/** The records of the service by name: `Schemas['OiSnap']`. */
export type Schemas = components['schemas'];

interface Good<Content> {
  readonly responses: { readonly 200: { readonly content: Content } };
}

type PathsWith<Method extends 'get' | 'post', Content> = {
  [Path in keyof paths]: paths[Path] extends { readonly [M in Method]: Good<Content> } ? Path : never;
}[keyof paths];

interface Json {
  readonly 'application/json': unknown;
}

interface Events {
  readonly 'text/event-stream': { readonly event: string; readonly data: unknown };
}

/** Paths that answer at once: with an envelope, or with a plain document. */
export type GetPath = PathsWith<'get', Json>;
export type PostPath = PathsWith<'post', Json>;
/** The paths that stream events. */
export type StreamPath = PathsWith<'get', Events>;

/** The query of a path. */
export type QueryOf<Path extends GetPath | StreamPath> = paths[Path]['get'] extends {
  readonly parameters: { readonly query?: infer Query };
}
  ? [Query] extends [undefined]
    ? Record<never, never>
    : Exclude<Query, undefined>
  : never;

type JsonOf<Operation> =
  Operation extends Good<{ readonly 'application/json': infer Answer }> ? Answer : never;

/** `{data, meta}` of a path, or a plain document. */
export type AnswerOf<Path extends GetPath> = JsonOf<paths[Path]['get']>;
export type PostAnswerOf<Path extends PostPath> = JsonOf<paths[Path]['post']>;

export type PostBodyOf<Path extends PostPath> = paths[Path]['post'] extends {
  readonly requestBody: { readonly content: { readonly 'application/json': infer Body } };
}
  ? Body
  : never;

/** The events of a stream as named on the wire. */
export type WireEventOf<Path extends StreamPath> =
  paths[Path]['get'] extends Good<{
    readonly 'text/event-stream': infer Event;
  }>
    ? Event
    : never;

/** Arguments after the path: the query is optional if nothing in it is required. */
export type RequestArgs<Query, Options> =
  Record<never, never> extends Query ? [query?: Query, options?: Options] : [query: Query, options?: Options];

export type { AnswerOf, GetPath, PostPath, QueryOf, Schemas, StreamPath } from './api-types.ts';
export { type AskOptions, Client, type ClientOptions } from './client.ts';
export { ApiError, Unreachable } from './errors.ts';
export type { Gap, StreamItem } from './stream.ts';
export type { TapeHole, TickPage, TickRange } from './ticks.ts';

export type { AnswerOf, GetPath, PostPath, QueryOf, Schemas, StreamPath } from './api-types.ts';
export { type AskOptions, Client, type ClientOptions } from './client.ts';
export { ApiError, Unreachable } from './errors.ts';
export { followBook, LocalBook } from './local-book.ts';
export type { ChannelName, Cursor, ParamsOf, PayloadOf, SocketItem, Trade } from './socket/frame-types.ts';
export { GatewayError } from './socket/line.ts';
export { TooSlow } from './socket/mailbox.ts';
export type { Gap, StreamItem } from './stream.ts';
export type { TapeHole, TickPage, TickRange } from './ticks.ts';

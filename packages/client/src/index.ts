export { addressOf } from './address.ts';
export type {
  AnswerOf,
  RequestArgs,
  GetPath,
  PostAnswerOf,
  PostBodyOf,
  PostPath,
  QueryOf,
  Schemas,
  StreamPath,
} from './api-types.ts';
export { type RequestOptions, Client, type ClientOptions, type FollowOptions } from './client.ts';
export { ApiError, GatewayError, Unreachable } from './errors.ts';
export { followBook, LocalBook } from './local-book.ts';
export type {
  BuildItem,
  ChannelName,
  Cursor,
  FeedStatus,
  ParamsOf,
  PayloadOf,
  SocketItem,
  Trade,
} from './socket/frame-types.ts';
export type { FailingSource, Health, KeyUsage, NewKey, Readiness } from './service-pages.ts';
export { TooSlow } from './socket/mailbox.ts';
export type { SocketClass, SocketLike } from './socket/socket-like.ts';
export type { Gap, StreamItem } from './stream.ts';
export type { TapeHole, TickPage, TickRange } from './ticks.ts';
export { systemClock } from './system-clock.ts';

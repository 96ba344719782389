import type { EventStream } from '../sse/event-stream.ts';
import { definitionsOf } from '../sse/streams.ts';
import { funding } from './perps/streams/funding.ts';
import { trades } from './tape/streams/trades.ts';
import { whales } from './whales/streams/whales.ts';

/** Every stream, in documentation order. */
export const streams: readonly EventStream[] = [whales, trades, funding];

export const streamDefinitions = definitionsOf(streams);

import type { Channel } from '../sse/channel.ts';
import { funding } from './perps/streams/funding.ts';
import { trades } from './tape/streams/trades.ts';
import { whales } from './whales/streams/whales.ts';

/** Every channel, in the order in which it is documented. */
export const channels: readonly Channel[] = [whales, trades, funding];

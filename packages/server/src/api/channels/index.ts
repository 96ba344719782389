import type { Channel } from '../channel.ts';
import { funding } from './funding.ts';
import { trades } from './trades.ts';
import { whales } from './whales.ts';

/** Every channel, in the order in which it is documented. */
export const channels: readonly Channel[] = [whales, trades, funding];

import type { GatewayChannel } from '../gateway-channel.ts';
import { orderbook } from './orderbook.ts';
import { trades } from './trades.ts';

/** Every channel of the gateway, in the order in which it is documented. */
export const gatewayChannels: readonly GatewayChannel[] = [trades, orderbook];

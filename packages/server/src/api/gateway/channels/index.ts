import type { GatewayChannel } from '../gateway-channel.ts';
import { candles } from './candles.ts';
import { footprint } from './footprint.ts';
import { funding } from './funding.ts';
import { liquidations } from './liquidations.ts';
import { markPrice } from './mark-price.ts';
import { openInterest } from './open-interest.ts';
import { orderbook } from './orderbook.ts';
import { trades } from './trades.ts';

/** Every channel of the gateway, in the order in which it is documented. */
export const gatewayChannels: readonly GatewayChannel[] = [
  trades,
  orderbook,
  liquidations,
  candles,
  funding,
  openInterest,
  markPrice,
  footprint,
];

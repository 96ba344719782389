import type { GatewayChannel } from '../gateway-channel.ts';
import { candles } from './candles.ts';
import { etfProxy } from './etf-proxy.ts';
import { flowSignals } from './flow-signals.ts';
import { flowTape } from './flow-tape.ts';
import { footprint } from './footprint.ts';
import { funding } from './funding.ts';
import { kimchi } from './kimchi.ts';
import { liquidations } from './liquidations.ts';
import { markPrice } from './mark-price.ts';
import { openInterest } from './open-interest.ts';
import { orderbook } from './orderbook.ts';
import { trades } from './trades.ts';
import { venueSpread } from './venue-spread.ts';

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
  venueSpread,
  kimchi,
  etfProxy,
  flowSignals,
  flowTape,
];

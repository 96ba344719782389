import type { GatewayChannel } from '../gateway/gateway-channel.ts';
import { audit } from './audit/channels/audit.ts';
import { candles } from './tape/channels/candles.ts';
import { etfProxy } from './flows/channels/etf-proxy.ts';
import { flowSignals } from './flows/channels/flow-signals.ts';
import { flowTape } from './flows/channels/flow-tape.ts';
import { footprint } from './tape/channels/footprint.ts';
import { funding } from './perps/channels/funding.ts';
import { kimchi } from './flows/channels/kimchi.ts';
import { liquidations } from './liquidations/channels/liquidations.ts';
import { markPrice } from './perps/channels/mark-price.ts';
import { openInterest } from './perps/channels/open-interest.ts';
import { orderbook } from './orderbook/channels/orderbook.ts';
import { trades } from './tape/channels/trades.ts';
import { venueSpread } from './flows/channels/venue-spread.ts';

/** Every channel of the gateway, in documentation order. */
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
  audit,
];

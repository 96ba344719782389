import type { Bus } from '../../platform/bus.ts';
import { usdRatesTopic } from '../../topics.ts';

/** The current rate of a currency in dollars; 1 if unknown. */
export function usdRateNow(bus: Bus, quote: string): number {
  return quote === 'USD' ? 1 : (bus.latest(usdRatesTopic)?.message.rates[quote]?.rate ?? 1);
}

import type { Bus } from '../../platform/bus.ts';
import { usdRatesTopic } from '../../topics.ts';

/** What one unit of a currency is worth in dollars now; 1 where that is not known. */
export function usdRateNow(bus: Bus, quote: string): number {
  return quote === 'USD' ? 1 : (bus.latest(usdRatesTopic)?.message.rates[quote]?.rate ?? 1);
}

import type { MarketTrade } from '@crosstape/core';
import type { TradeFeed, TradePage, VenueRequest } from '@crosstape/venues';

/** The fills of a market between two times, as the REST interface of a simulated venue at `url` returns them. */
export async function venueFills(
  url: string,
  { past }: TradeFeed,
  symbol: string,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): Promise<readonly MarketTrade[]> {
  if (!past) throw new Error('the venue has no past trades');
  const gap = { market: { symbol }, afterMs: fromMs, beforeMs: toMs - 1 };
  const fills: MarketTrade[] = [];
  for (let request: VenueRequest | undefined = past.request(gap); request; ) {
    const answer = await fetch(`${url}${request.path}`);
    const page: TradePage = past.parse(await answer.json(), gap, request.path);
    fills.push(...page.trades);
    request = page.more;
  }
  return fills;
}

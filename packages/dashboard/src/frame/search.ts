import type { AnswerOf } from '@crosstape/client';
import { coinName, coinRank } from '../format/coin-names.ts';
import { usd } from '../format/numbers.ts';
import { perpVenues, venueName } from '../format/venues.ts';
import {
  aggregatesNamed,
  idTitle,
  listMarkets,
  marketHref,
  marketTitle,
} from '../pages/market/market-choice.ts';

/** A place that a search leads to. */
export interface Found {
  readonly name: string;
  readonly note: string;
  readonly href: string;
}

/** The searched lists. */
export interface Searched {
  readonly coins: AnswerOf<'/perps/oi'>['data'];
  readonly markets: AnswerOf<'/markets/recorded'>['data'];
  readonly pages: readonly { readonly title: string; readonly href: string; readonly about?: string }[];
}

/** How far a searched list has been loaded. */
interface Loaded {
  readonly isThere: boolean;
  readonly problem: string | undefined;
}

const COINS_MAX = 12;
const MARKETS_MAX = 8;

function coinsOf(coins: Searched['coins'], wanted: string): Searched['coins'] {
  return coins
    .flatMap((row) => {
      const rank = coinRank(row.coin, wanted);
      return rank === undefined ? [] : [{ row, rank: wanted === '' ? 0 : rank }];
    })
    .toSorted((a, b) => a.rank - b.rank || b.row.oiUsd - a.row.oiUsd)
    .map(({ row }) => row);
}

/** Recorded markets with all words; those of a coin that is one of the words come first. */
function marketsOf(markets: Searched['markets'], words: readonly string[]): Searched['markets'] {
  const isCoin = (coin: string): number => Number(words.includes(coin.toLowerCase()));
  return listMarkets(markets, words.join(' ')).toSorted((a, b) => isCoin(b.coin) - isCoin(a.coin));
}

/**
 * Coins, aggregates (`perp:BTC`, `all btc`), venues, recorded markets, a coin on a venue in either order
 * (`binance eth`) and pages.
 */
export function search(text: string, { coins, markets, pages }: Searched): readonly Found[] {
  const wanted = text.trim().toLowerCase();
  const words = wanted.split(/\s+/);
  const isNamed = (venue: string, word: string): boolean =>
    venue === word || venueName(venue).toLowerCase().includes(word);
  const found: Found[] = coinsOf(coins, wanted)
    .slice(0, COINS_MAX)
    .map(({ coin, oiUsd }) => ({
      name: coin,
      note: [coinName(coin), `OI ${usd(oiUsd)}`].filter(Boolean).join(' · '),
      href: `/m/${coin}`,
    }));
  if (wanted === '') return found;
  for (const named of aggregatesNamed(wanted, markets))
    found.push({ name: idTitle(named.market), note: 'recorded markets together', href: marketHref(named) });
  for (const venue of perpVenues)
    if (isNamed(venue, wanted))
      found.push({
        name: venueName(venue),
        note: 'venue: funding and open interest of every coin',
        href: `/screener?venue=${venue}`,
      });
  for (const market of marketsOf(markets, words).slice(0, MARKETS_MAX))
    found.push({ name: marketTitle(market), note: 'recorded market', href: marketHref(market) });
  for (const venue of perpVenues) {
    const others = words.filter((word) => !isNamed(venue, word));
    const [row] = coinsOf(coins, others.join(' '));
    if (row && others.length > 0 && others.length < words.length)
      found.push({
        name: `${row.coin} on ${venueName(venue)}`,
        note: 'funding and open interest',
        href: `/perps?coin=${row.coin}`,
      });
  }
  for (const { title, href, about = '' } of pages)
    if (`${title} ${about}`.toLowerCase().includes(wanted)) found.push({ name: title, note: 'page', href });
  // The market of the primary venue is that of its coin.
  return found.filter(({ href }, i) => found.findIndex((one) => one.href === href) === i);
}

/** The line below what was found; `undefined`: every list is loaded and something was found. */
export function searchProgress(
  text: string,
  count: number,
  coins: Loaded,
  markets: Loaded,
): string | undefined {
  if (text.trim() !== '' && !markets.isThere) return markets.problem ?? 'Loading markets…';
  if (!coins.isThere) return coins.problem ?? 'Loading…';
  return count > 0 ? undefined : `No results for “${text}”.`;
}

import { isFields } from '../../json.ts';
import type { TapeDeal } from '../../market/tape.ts';
import type { VenueMarket } from '../../market/venue-market.ts';
import type { TradeMarket, WireDeal } from '../trade-ledger.ts';
import { wholeOf } from '../whole-number.ts';
import type { Question, Reply, Session, TradeFrame } from '../wire.ts';
import { failure, success } from './envelope.ts';
import { type Listing, listingOfDeal, listingsOf, PRODUCT_TYPES, printPrice, printSize } from './listing.ts';

/** In the first message after a subscription; how many is a guess [K]. */
const SNAPSHOT_TRADES = 50;
const FILLS_MAX = 100;
const HISTORY_MAX = 1000;
const HISTORY_DEFAULT = 500;
const HISTORY_MS = 7 * 86_400_000;
/** Ids are rising texts of 19 digits with gaps between them. */
const ID_FIRST = 1_400_000_000_000_000_000n;
const ID_STEP = 4096n;

/** Topics of one contract. */
const TOPICS: readonly unknown[] = ['publicTrade', 'books'];

export function tradeMarket(market: VenueMarket, { symbol, coin, part }: Listing): TradeMarket {
  const takes = (deal: Parameters<typeof listingOfDeal>[1]): boolean =>
    listingOfDeal(coin, deal).symbol === symbol;
  return { symbol, tape: market.tape({ symbol, coin, part, takes }) };
}

/** The contract of a subscription to trades or a book; `instType` is in small letters, unlike in calls. */
export function listingOfArg(market: VenueMarket, arg: unknown): Listing | undefined {
  if (!isFields(arg) || !TOPICS.includes(arg['topic'])) return undefined;
  return listingsOf(market).find(
    (listing) =>
      listing.symbol === arg['symbol'] &&
      listing.status === 'normal' &&
      PRODUCT_TYPES[listing.quote].toLowerCase() === arg['instType'],
  );
}

export function tradeTopic({ symbol }: Listing): string {
  return `trade ${symbol}`;
}

/**
 * {"action":"snapshot","arg":{…},"data":[{"i":"1432912488536195072","p":"76671.22","v":"0.001367","S":"sell",
 *  "T":"1777358880170","L":"1432912488536195073","isRPI":"no"}],"ts":…}: newest first; after it `update` [T].
 */
export function follow(session: Session, listing: Listing, arg: unknown): void {
  const frame = (action: 'snapshot' | 'update', deals: readonly WireDeal[]): readonly TradeFrame[] => {
    const data = deals.toReversed().map((deal) => printTrade(listing, deal));
    return [{ text: JSON.stringify({ action, arg, data, ts: session.nowMs() }), deals }];
  };
  session.follow(tradeTopic(listing), {
    market: tradeMarket(session.market, listing),
    print: (deals) => frame('update', deals),
    snapshot: { count: SNAPSHOT_TRADES, print: (deals) => frame('snapshot', deals) },
  });
}

function idOf({ id }: WireDeal): string {
  return String(ID_FIRST + BigInt(id) * ID_STEP + BigInt((id * 2_654_435) % 4096));
}

export function sizeIn(listing: Listing, { size }: TapeDeal): string {
  return printSize(Math.max(size, 10 ** -listing.sizeDecimals / listing.perUnit), listing);
}

function printTrade(listing: Listing, deal: WireDeal): object {
  return {
    i: idOf(deal),
    p: printPrice(deal.price, listing),
    v: sizeIn(listing, deal),
    S: deal.side,
    T: String(deal.ts),
    L: String(BigInt(idOf(deal)) + 1n),
    isRPI: 'no',
  };
}

/** The same over REST, newest first; there the side begins with a capital letter [C]. */
export const TRADE_CALLS = [
  { name: 'fills', max: 20, read: readNewest },
  { name: 'fills-history', max: 10, read: readHistory },
] as const;

export function answerTrades(
  question: Question,
  listing: Listing,
  read: (typeof TRADE_CALLS)[number]['read'],
): Reply {
  const deals = read(question, tradeMarket(question.market, listing));
  if (typeof deals === 'string') return failure(question, '40020', `Parameter ${deals} error`);
  const rows = deals.toReversed().map((deal) => ({
    ts: String(deal.ts),
    price: printPrice(deal.price, listing),
    size: sizeIn(listing, deal),
    side: deal.side === 'buy' ? 'Buy' : 'Sell',
    tradeId: idOf(deal),
    symbol: listing.symbol,
  }));
  return success(question, rows);
}

function readNewest({ query, trades }: Question, market: TradeMarket): readonly WireDeal[] | string {
  const limit = wholeOf(query, 'limit') ?? FILLS_MAX;
  return limit >= 1 && limit <= FILLS_MAX ? trades.newest(market, limit) : 'limit';
}

function readHistory({ query, trades, nowMs }: Question, market: TradeMarket): readonly WireDeal[] | string {
  const limit = wholeOf(query, 'limit') ?? HISTORY_DEFAULT;
  if (!(limit >= 1 && limit <= HISTORY_MAX)) return 'limit';
  const [startMs = 0, endMs] = ['startTime', 'endTime'].map((name) => wholeOf(query, name));
  if (Number.isNaN(startMs)) return 'startTime';
  if (Number.isNaN(endMs)) return 'endTime';
  const lessThan = query.get('idLessThan');
  if (lessThan !== null && !/^\d{19}$/.test(lessThan)) return 'idLessThan';
  const oldestMs = Math.max(startMs, nowMs - HISTORY_MS);
  const deals =
    lessThan === null
      ? trades.newest(market, limit, endMs === undefined ? undefined : endMs + 1)
      : trades.beforeId(market, Number((BigInt(lessThan) - ID_FIRST) / ID_STEP), limit);
  return deals.filter(({ ts }) => ts >= oldestMs && (endMs === undefined || ts <= endMs));
}

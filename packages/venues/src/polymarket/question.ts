import type { PredictionMarket, PredictionOutcome } from '@crosstape/core';
import {
  type Fields,
  notNegative,
  readArray,
  readDecimal,
  readIsoTime,
  readNumber,
  readObject,
  readText,
  wrong,
} from '../reading.ts';

/** Tags of events about one coin [K]. */
const COINS: ReadonlyMap<string, string> = new Map([
  ['bitcoin', 'BTC'],
  ['ethereum', 'ETH'],
  ['solana', 'SOL'],
  ['xrp', 'XRP'],
  ['ripple', 'XRP'],
  ['dogecoin', 'DOGE'],
  ['bnb', 'BNB'],
  ['hyperliquid', 'HYPE'],
]);

/**
 * A question with two outcomes that can be traded, and nothing of any other:
 * ```json
 * {"id":"559652","question":"Will Bitcoin be above $100,000 on November 20?","conditionId":"0x0f49…9f75","slug":"…",
 *  "endDate":"2026-11-20T17:00:00Z","outcomes":"[\"Yes\", \"No\"]","outcomePrices":"[\"0.2325\", \"0.7675\"]",
 *  "clobTokenIds":"[\"54533043819946592…\", \"87854174148074652…\"]","liquidity":"230438.22824","liquidityNum":230438.22824,
 *  "volume24hr":9066.547418,"active":true,"closed":false,"acceptingOrders":true,"enableOrderBook":true,
 *  "spread":0.001,"bestBid":0.232,"bestAsk":0.233,"lastTradePrice":0.232}
 * ```
 * Lists are JSON inside of texts, in the same order: the first price is that of the first outcome [D, C]. `active` stays
 * true after the decision, and a question may take orders after its end until it is decided [M]. It is false of
 * placeholders ("Person BX" at 0.5), nearly a fifth of all questions [M], which are left out. What is new may have no
 * prices, ids, end or flags yet [M]: that is `incomplete`. `bestBid` and `bestAsk` are of the first outcome [M]; a price is
 * the middle between them, or the last trade's where they are far apart [K].
 * https://docs.polymarket.com/api-reference/events/list-events
 */
export function readQuestion(event: Fields, value: unknown): PredictionMarket | 'incomplete' | undefined {
  const question = readObject(value, 'market');
  if (question.active === false) return undefined;
  const symbol = readText(question.id, 'market.id');
  const flag = (name: string): boolean | undefined => readFlag(question[name], `${symbol}.${name}`);
  const [isClosed, takesOrders, hasBook] = [flag('closed'), flag('acceptingOrders'), flag('enableOrderBook')];
  if (isClosed || takesOrders === false || hasBook === false) return undefined;
  const { outcomes: names, outcomePrices: prices, clobTokenIds: tokenIds, endDate } = question;
  if (!names || !prices || !tokenIds || !endDate || !takesOrders || !hasBook) return 'incomplete';
  const outcomes = readOutcomes(question, symbol);
  if (!outcomes) return undefined;
  const spread = question.spread ?? undefined;
  return {
    coin: coinOf(event),
    symbol,
    eventId: readText(event.id, 'event.id'),
    eventSlug: readTextOr(event.slug, ''),
    title: readTextOr(event.title, readTextOr(question.question, '')),
    question: readTextOr(question.question, readTextOr(event.title, '')),
    outcomes,
    liquidityUsd: readAmount(question.liquidityNum ?? question.liquidity, `${symbol}.liquidity`),
    volume24hUsd: readAmount(question.volume24hr, `${symbol}.volume24hr`),
    endMs: readIsoTime(endDate, `${symbol}.endDate`),
    ...(spread !== undefined && { spread: readAmount(spread, `${symbol}.spread`) }),
  };
}

function readOutcomes(question: Fields, symbol: string): PredictionMarket['outcomes'] | undefined {
  const { outcomes, outcomePrices, clobTokenIds } = question;
  const names = readInnerList(outcomes, `${symbol}.outcomes`);
  const prices = readInnerList(outcomePrices, `${symbol}.outcomePrices`);
  const tokenIds = readInnerList(clobTokenIds, `${symbol}.clobTokenIds`);
  if (names.length !== prices.length || names.length !== tokenIds.length)
    throw wrong(clobTokenIds, `${symbol}.clobTokenIds`, 'as long as its outcomes and prices');
  const read = (i: number): PredictionOutcome => ({
    name: readText(names[i], `${symbol}.outcomes`),
    tokenId: readTokenId(tokenIds[i], `${symbol}.clobTokenIds`),
    price: readChance(prices[i], `${symbol}.outcomePrices`),
  });
  return names.length === 2 ? [read(0), read(1)] : undefined;
}

/** `"[\"Yes\", \"No\"]"` */
function readInnerList(value: unknown, what: string): readonly unknown[] {
  try {
    return readArray(JSON.parse(readText(value, what)), what);
  } catch (error) {
    if (error instanceof SyntaxError) throw wrong(value, what, 'a list inside of a text');
    throw error;
  }
}

function readFlag(value: unknown, what: string): boolean | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'boolean') throw wrong(value, what, 'true or false');
  return value;
}

/** Names and titles are shown, nothing is decided by them. */
function readTextOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' && value !== '' ? value : otherwise;
}

function readTokenId(value: unknown, what: string): string {
  if (typeof value !== 'string' || !/^\d{1,78}$/.test(value))
    throw wrong(value, what, 'a whole number as text');
  return value;
}

function readChance(value: unknown, what: string): number {
  const price = readDecimal(value, what);
  if (price < 0 || price > 1) throw wrong(value, what, 'from 0 to 1');
  return price;
}

/** A number, or the same as text [M, C]; absent means none. */
function readAmount(value: unknown, what: string): number {
  if (value === undefined || value === null) return 0;
  return notNegative(typeof value === 'string' ? readDecimal(value, what) : readNumber(value, what), what);
}

function coinOf({ tags }: Fields): string {
  const slugs = Array.isArray(tags) ? tags.map((tag: { slug?: unknown } | null) => String(tag?.slug)) : [];
  const coins = new Set(slugs.flatMap((slug) => COINS.get(slug) ?? []));
  const [coin = ''] = coins;
  return coins.size === 1 ? coin : '';
}

import { hashText, roundTo } from '@crosstape/core';
import { mix, uniformOf } from '../../market/noise.ts';
import { type EventList, isClosed, type SimulatedEvent, type SimulatedQuestion } from './event-list.ts';
import { chanceOf, ladderOf } from './question-book.ts';
import { detailsOf } from './question-details.ts';

/** Beyond this the venue sends the last trade in place of the middle [K]. */
const WIDE = 0.1;

/** https://docs.polymarket.com/api-reference/events/list-events [D, C] */
export function printEvent(list: EventList, event: SimulatedEvent, nowMs: number): PrintedEvent {
  const markets = event.questions.map((question) => printQuestion(list, question, nowMs));
  const sum = (field: 'liquidityNum' | 'volumeNum' | 'volume24hr'): number =>
    roundTo(
      markets.reduce((total, one) => total + (one[field] ?? 0), 0),
      6,
    );
  return {
    id: event.id,
    ticker: event.slug,
    slug: event.slug,
    title: event.title,
    description: `${event.title} Simulated.`,
    startDate: isoOf(event.listedMs),
    endDate: isoOf(event.endMs),
    active: true,
    closed: isClosed(event, nowMs),
    archived: false,
    liquidity: sum('liquidityNum'),
    volume: sum('volumeNum'),
    volume24hr: sum('volume24hr'),
    openInterest: 0,
    negRisk: false,
    tags: tagsOf(event),
    markets,
  };
}

export interface PrintedEvent extends Readonly<Record<string, unknown>> {
  readonly id: string;
  readonly slug: string;
  readonly closed: boolean;
  readonly liquidity: number;
  readonly volume: number;
  readonly volume24hr: number;
  readonly startDate: string;
  readonly endDate: string;
  readonly tags: readonly { readonly slug: string }[];
}

interface PrintedQuestion extends Readonly<Record<string, unknown>> {
  readonly liquidityNum: number;
  readonly volumeNum: number;
  readonly volume24hr?: number;
}

/** Lists as texts, unknown fields left out, `active` always true except for placeholders [D, C, M]. */
export function printQuestion(list: EventList, question: SimulatedQuestion, nowMs: number): PrintedQuestion {
  const { event, salt, state } = question;
  const closed = isClosed(event, nowMs);
  const { bids, asks } = ladderOf(list, question, nowMs, 1);
  const [bestBid, bestAsk] = [bids[0]?.price, asks[0]?.price];
  const rest = state === 'usual' && !closed ? roundTo(2_000 * 10 ** (2.5 * uniformOf(mix(salt, 3))), 5) : 0;
  const volume24hr = roundTo(rest * uniformOf(mix(mix(salt, 4), Math.floor(nowMs / 3_600_000))), 6);
  const volumeNum = roundTo(rest * 30, 6);
  const spread = roundTo((bestAsk ?? 1) - (bestBid ?? 0), 3);
  return {
    id: question.id,
    question: question.text,
    conditionId: conditionIdOf(question),
    slug: question.slug,
    endDate: isoOf(event.endMs),
    startDate: isoOf(event.listedMs),
    outcomes: JSON.stringify(question.outcomes),
    ...(state !== 'new' && {
      outcomePrices: JSON.stringify(pricesOf(list, question, nowMs, { bestBid, bestAsk }).map(String)),
      clobTokenIds: JSON.stringify(question.tokenIds),
    }),
    volume: String(volumeNum),
    volumeNum,
    liquidity: String(rest),
    liquidityNum: rest,
    // Questions without trades have no daily volume [M].
    ...(state === 'usual' && { volume24hr }),
    active: state !== 'placeholder',
    closed,
    archived: false,
    acceptingOrders: !closed,
    enableOrderBook: true,
    negRisk: false,
    groupItemTitle: question.groupTitle,
    orderPriceMinTickSize: spread < 0.01 ? 0.001 : 0.01,
    orderMinSize: 5,
    spread: state === 'placeholder' ? null : spread,
    ...(bestBid !== undefined && { bestBid }),
    ...(bestAsk !== undefined && { bestAsk }),
    umaResolutionStatuses: '[]',
    ...detailsOf(question),
  };
}

export function conditionIdOf({ slug }: SimulatedQuestion): string {
  const part = (i: number): string => (mix(hashText(slug), i) >>> 0).toString(16).padStart(8, '0');
  return `0x${Array.from({ length: 8 }, (_, i) => part(i)).join('')}`;
}

/** The midpoint of the book, or the probability if there is none; resolved ones are 0 and 1. */
function pricesOf(
  list: EventList,
  question: SimulatedQuestion,
  nowMs: number,
  { bestBid: bid = 0, bestAsk: ask = 1 }: { bestBid?: number | undefined; bestAsk?: number | undefined },
): readonly number[] {
  const { event, outcomes, state } = question;
  if (outcomes.length !== 2) return outcomes.map(() => roundTo(1 / outcomes.length, 4));
  if (state === 'idle' || state === 'placeholder') return [0.5, 0.5];
  const chance = chanceOf(list, question, nowMs);
  if (isClosed(event, nowMs)) return chance > 0.5 ? [1, 0] : [0, 1];
  const first = roundTo(ask - bid > WIDE ? chance : (bid + ask) / 2, 4);
  return [first, roundTo(1 - first, 4)];
}

function tagsOf({ topic: { name, tag, coin } }: SimulatedEvent): PrintedEvent['tags'] {
  const own = { id: String(hashText(tag) % 100_000), label: name, slug: tag };
  return coin === undefined ? [own] : [{ id: '21', label: 'Crypto', slug: 'crypto' }, own];
}

/** `2026-11-20T17:00:00Z` */
function isoOf(timeMs: number): string {
  return new Date(timeMs).toISOString().replace('.000Z', 'Z');
}

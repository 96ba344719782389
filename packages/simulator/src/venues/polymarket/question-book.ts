import { callDeltaOf, DAY_MS, hashText, MINUTE_MS, roundTo, yearsToExpiry } from '@crosstape/core';
import { gaussOf, mix, type NoiseShape, SmoothNoise, uniformOf } from '../../market/noise.ts';
import { type EventList, isClosed, type SimulatedQuestion } from './event-list.ts';

const YEAR_DAYS = 365;
/** Near the ends prices are finer. */
const FINE_BELOW = 0.04;
const FINE_TICK = 0.001;
const TICK = 0.01;
const DECIMALS = 3;
/** The price is never surer than this while orders are taken. */
const SURE = 0.0004;
const LEVELS_MAX = 25;
/** How long a book occasionally shows only the outermost prices, or its state of hours ago. */
const STUCK_MS = 15 * MINUTE_MS;
const GHOST_SHARE = 0.015;
const FROZEN_SHARE = 0.015;
const FROZEN_MS = 6 * 60 * MINUTE_MS;
const MOOD: NoiseShape = { longestMs: 20 * DAY_MS, octaves: 5, roughness: 0.5 };

export interface Level {
  readonly price: number;
  readonly size: number;
}

/** Best first. */
export interface Ladder {
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}

export interface BookAt extends Ladder {
  readonly ts: number;
}

/** Probability of the first outcome: for a coin above a strike from its volatility, else a random mood. */
export function chanceOf(list: EventList, question: SimulatedQuestion, atMs: number): number {
  const { strike, salt, event } = question;
  const { coin } = event.topic;
  if (strike === undefined || coin === undefined)
    return 1 / (1 + Math.exp(-1.3 * new SmoothNoise(salt, MOOD).at(atMs)));
  if (atMs >= event.endMs) return list.spotAt(coin, event.endMs) > strike ? 1 : 0;
  const { market } = list;
  const spot = market.quote(coin, atMs).index;
  const years = yearsToExpiry(event.endMs, atMs) ?? 0;
  const { dailyVolatility = 0.03 } = market.coins.find(({ name }) => name === coin) ?? {};
  const volatility = dailyVolatility * Math.sqrt(YEAR_DAYS);
  // The second term of Black's formula is the first one at a forward that is lower by the variance.
  const forward = spot * Math.exp(-volatility * volatility * years);
  return callDeltaOf({ forward, strike, volatility, years });
}

/** The true book of the first outcome; the other one's is its mirror image. */
export function ladderOf(
  list: EventList,
  question: SimulatedQuestion,
  atMs: number,
  levelsMax = LEVELS_MAX,
): Ladder {
  if (question.state !== 'usual' || isClosed(question.event, atMs)) return { bids: [], asks: [] };
  const chance = Math.min(1 - SURE, Math.max(SURE, chanceOf(list, question, atMs)));
  const tick = chance < FINE_BELOW || chance > 1 - FINE_BELOW ? FINE_TICK : TICK;
  const half = tick * (0.5 + 1.5 * uniformOf(mix(question.salt, 2)));
  const minute = Math.floor(atMs / MINUTE_MS);
  const side = (first: number, step: number): Level[] => {
    const levels: Level[] = [];
    for (let i = first; i > 0 && i * tick < 1 - tick / 2 && levels.length < levelsMax; i += step)
      levels.push({ price: roundTo(i * tick, DECIMALS), size: sizeAt(question.salt, i * step, minute) });
    return levels;
  };
  return {
    bids: side(Math.floor((chance - half) / tick), -1),
    asks: side(Math.ceil((chance + half) / tick), 1),
  };
}

/** The venue's book, which is sometimes wrong. */
export function bookOf(list: EventList, question: SimulatedQuestion, outcome: number, atMs: number): BookAt {
  const slot = Math.floor(atMs / STUCK_MS);
  const chance = uniformOf(mix(mix(question.salt, hashText('stuck')), slot));
  const isFrozen = chance >= GHOST_SHARE && chance < GHOST_SHARE + FROZEN_SHARE;
  const ts = isFrozen ? slot * STUCK_MS - FROZEN_MS : atMs;
  const truth = ladderOf(list, question, ts);
  const isGhost = chance < GHOST_SHARE && truth.bids.length > 0 && truth.asks.length > 0;
  const reported = isGhost
    ? { bids: [{ price: TICK, size: 5_000 }], asks: [{ price: 1 - TICK, size: 5_000 }] }
    : truth;
  return { ts, ...(outcome === 0 ? reported : mirrored(reported)) };
}

function mirrored({ bids, asks }: Ladder): Ladder {
  const mirror = ({ price, size }: Level): Level => ({ price: roundTo(1 - price, DECIMALS), size });
  return { bids: asks.map(mirror), asks: bids.map(mirror) };
}

/** In shares, to the hundredth. */
function sizeAt(salt: number, level: number, minute: number): number {
  return roundTo(120 * Math.exp(1.4 * gaussOf(mix(mix(salt, level), minute))) + 5, 2);
}

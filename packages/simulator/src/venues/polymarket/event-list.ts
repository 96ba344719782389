import { DAY_MS, hashText, HOUR_MS, roundTo } from '@crosstape/core';
import type { Market } from '../../market/market.ts';
import { mix, uniformOf } from '../../market/noise.ts';
import { type Contest, contestsOf, COUNCIL } from './contests.ts';
import { COIN_TOPICS, OTHER_TOPICS, type OtherTopic, type Topic } from './topics.ts';

/** As many digits as most ids have. */
const DIGITS = 77;

/** A number far above 2^53, in digits. */
function tokenIdOf(salt: number, outcome: number): string {
  let digits = '';
  for (let i = 0; digits.length < DIGITS; i += 1) digits += String(mix(mix(salt, 100 + outcome), i) >>> 0);
  return `1${digits.slice(0, DIGITS - 1)}`;
}

/** Noon in New York. */
const END_TIME_MS = 17 * HOUR_MS;
/** A question waits this long after its end for its decision, and takes orders all the while, … */
const UNDECIDED_MS = 2 * HOUR_MS;
/** … and it is still listed as closed for this long. */
const CLOSED_MS = 24 * HOUR_MS;
/** Days before its end that something is listed. */
const LISTED_DAYS = { day: 10, month: 92, year: 365 } as const;
type Tenor = keyof typeof LISTED_DAYS;
/** Strikes on either side of spot when listed, half a standard deviation apart. */
const STRIKES = [-2, -1, 0, 1, 2];
/** This share of the questions has no orders at all, and this share not even a book yet. */
const IDLE_SHARE = 0.02;
const NEW_SHARE = 0.02;
/** Times of remembered spot prices. */
const SPOTS_MAX = 4_096;
const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);

export interface SimulatedQuestion {
  readonly id: string;
  readonly slug: string;
  readonly text: string;
  readonly groupTitle: string;
  readonly outcomes: readonly string[];
  readonly tokenIds: readonly string[];
  /** Yes when the coin is above it at the end. */
  readonly strike?: number;
  readonly salt: number;
  /** `placeholder`: listed for a future name, and not active. */
  readonly state: 'usual' | 'idle' | 'new' | 'placeholder';
  readonly event: SimulatedEvent;
}

export interface SimulatedEvent {
  readonly id: string;
  readonly slug: string;
  readonly title: string;
  readonly topic: Topic;
  readonly listedMs: number;
  readonly endMs: number;
  readonly questions: readonly SimulatedQuestion[];
}

/** The venue's questions: a pure function of the market's seed and the time. */
export class EventList {
  readonly market: Market;
  readonly #topics: readonly (Topic | OtherTopic | Contest)[];
  #hour = Number.NaN;
  #events: readonly SimulatedEvent[] = [];
  #byToken: ReadonlyMap<string, SimulatedQuestion> = new Map();
  /** At the times that matter for good: a few of each event. */
  readonly #spots = new Map<string, number>();

  constructor(market: Market) {
    this.market = market;
    const contests = market.size === 'real' ? contestsOf(market.seed) : [];
    this.#topics = [...COIN_TOPICS, ...OTHER_TOPICS, COUNCIL, ...contests];
  }

  /** Every listed event, and those that closed recently. */
  at(atMs: number): readonly SimulatedEvent[] {
    const hour = Math.floor(atMs / HOUR_MS);
    if (hour !== this.#hour) this.#list(hour);
    return this.#events;
  }

  byToken(tokenId: string, atMs: number): SimulatedQuestion | undefined {
    this.at(atMs);
    return this.#byToken.get(tokenId);
  }

  #list(hour: number): void {
    const atMs = hour * HOUR_MS;
    const known = new Map(this.#events.map((event) => [event.slug, event]));
    const ends = endsAround(atMs);
    this.#events = this.#topics.flatMap((topic) =>
      ends
        .filter(({ tenor }) => isAskedUntil(topic, tenor))
        .map(({ endMs, tenor }) => {
          const name = nameOf(topic, endMs);
          return known.get(name.slug) ?? this.#event(topic, endMs, tenor, name);
        }),
    );
    this.#byToken = new Map(
      this.#events.flatMap(({ questions }) =>
        questions.flatMap((question) => question.tokenIds.map((tokenId) => [tokenId, question] as const)),
      ),
    );
    this.#hour = hour;
  }

  #event(
    topic: Topic | OtherTopic | Contest,
    endMs: number,
    tenor: Tenor,
    { title, slug, day }: EventName,
  ): SimulatedEvent {
    const listedMs = endMs - LISTED_DAYS[tenor] * DAY_MS;
    const questions: SimulatedQuestion[] = [];
    const event = { id: idOf(slug), slug, title, topic, listedMs, endMs, questions };
    if ('candidates' in topic) {
      for (const candidate of topic.candidates) questions.push(this.#winner(event, candidate, topic));
      for (const name of topic.placeholders)
        questions.push({ ...this.#winner(event, name, topic), state: 'placeholder' });
    } else if ('question' in topic) questions.push(this.#question(event, title, topic.outcomes));
    else
      for (const strike of this.#strikes(topic, listedMs, endMs))
        questions.push(this.#above(event, strike, day));
    return event;
  }

  #above(event: SimulatedEvent, strike: number, day: string): SimulatedQuestion {
    const price = `$${strike.toLocaleString('en-US', { maximumFractionDigits: 6 })}`;
    const text = `Will ${event.topic.name} be above ${price} on ${day}?`;
    return { ...this.#question(event, text, ['Yes', 'No']), strike, groupTitle: price };
  }

  #winner(event: SimulatedEvent, candidate: string, { name }: Contest): SimulatedQuestion {
    const question = this.#question(event, `Will ${candidate} win the ${name}?`, ['Yes', 'No']);
    return { ...question, groupTitle: candidate };
  }

  #question(event: SimulatedEvent, text: string, outcomes: readonly string[]): SimulatedQuestion {
    const slug = slugOf(`${text} ${new Date(event.endMs).getUTCFullYear()}`);
    const salt = mix(this.market.seed, hashText(slug));
    const chance = uniformOf(mix(salt, 1));
    const state = chance < NEW_SHARE ? 'new' : chance < NEW_SHARE + IDLE_SHARE ? 'idle' : 'usual';
    const tokenIds = outcomes.map((_, i) => tokenIdOf(salt, i));
    return { id: idOf(slug), slug, text, groupTitle: '', outcomes, tokenIds, salt, state, event };
  }

  #strikes({ coin = '' }: Topic, listedMs: number, endMs: number): readonly number[] {
    const spot = this.spotAt(coin, listedMs);
    const { dailyVolatility = 0 } = this.market.coins.find(({ name }) => name === coin) ?? {};
    const deviation = dailyVolatility * Math.sqrt((endMs - listedMs) / DAY_MS);
    const step = Number((spot * deviation * 0.5).toPrecision(1));
    const middle = Math.round(spot / step);
    return STRIKES.flatMap((i) => (middle + i > 0 ? [roundTo((middle + i) * step, 8)] : []));
  }

  /** Price of a coin when an event was listed, or when it ended. */
  spotAt(coin: string, atMs: number): number {
    if (this.#spots.size >= SPOTS_MAX) this.#spots.clear();
    const key = `${coin} ${atMs}`;
    let spot = this.#spots.get(key);
    if (spot === undefined) this.#spots.set(key, (spot = this.market.quote(coin, atMs).index));
    return spot;
  }
}

interface EventName {
  readonly title: string;
  readonly slug: string;
  /** `November 20` */
  readonly day: string;
}

/** Topics other than prices have no daily questions, and contests are once a year. */
function isAskedUntil(topic: Topic | Contest, tenor: Tenor): boolean {
  if ('candidates' in topic) return tenor === 'year';
  return topic.coin !== undefined || tenor !== 'day';
}

function nameOf(topic: Topic | OtherTopic | Contest, endMs: number): EventName {
  const date = new Date(endMs);
  const day = `${MONTHS[date.getUTCMonth()]} ${date.getUTCDate()}`;
  const title = 'question' in topic ? `${topic.question} ${day}?` : `${topic.name} above ___ on ${day}?`;
  return { title, slug: slugOf(`${title} ${date.getUTCFullYear()}`), day };
}

/** Whether it is decided. */
export function isClosed({ endMs }: SimulatedEvent, atMs: number): boolean {
  return atMs >= endMs + UNDECIDED_MS;
}

/** The days on which something ends that is listed, or closed recently: every day, every month's last and every year's. */
function endsAround(atMs: number): readonly { readonly endMs: number; readonly tenor: Tenor }[] {
  const first = Math.floor((atMs - UNDECIDED_MS - CLOSED_MS - END_TIME_MS) / DAY_MS) + 1;
  const ends: { endMs: number; tenor: Tenor }[] = [];
  for (let day = first; day * DAY_MS < atMs + LISTED_DAYS.year * DAY_MS; day += 1) {
    const tomorrow = new Date((day + 1) * DAY_MS);
    const isLast = tomorrow.getUTCDate() === 1;
    const tenor = !isLast ? 'day' : tomorrow.getUTCMonth() === 0 ? 'year' : 'month';
    const endMs = day * DAY_MS + END_TIME_MS;
    if (endMs - LISTED_DAYS[tenor] * DAY_MS <= atMs) ends.push({ endMs, tenor });
  }
  return ends;
}

function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

function idOf(slug: string): string {
  return String(hashText(slug));
}

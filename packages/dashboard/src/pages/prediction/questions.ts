import type { Schemas } from '@crosstape/client';
import { plain } from '../../format/numbers.ts';

export type Question = Schemas['PredictionEvent'];
export type Outcome = Question['outcomes'][number];

/** An outcome, and the question that it is one of. */
export interface Chosen {
  readonly question: Question;
  readonly outcome: Outcome;
}

const CENTS = 100;

/** The outcome of a token; without one the first of the list. */
export function chosenOf(questions: readonly Question[], tokenId: string | null): Chosen | undefined {
  if (tokenId === null) {
    const [question] = questions;
    const outcome = question?.outcomes[0];
    return question && outcome && { question, outcome };
  }
  for (const question of questions) {
    const outcome = question.outcomes.find((one) => one.tokenId === tokenId);
    if (outcome) return { question, outcome };
  }
  return undefined;
}

/** A price from 0 to 1 as `93.5¢`. */
export function cents(price: number | null | undefined): string {
  if (price === null || price === undefined) return '–';
  return `${plain(price * CENTS, 1)}¢`;
}

/** `12h`, `3.4d`, `77d` */
export function timeLeft(hours: number): string {
  if (hours < 1) return `${Math.max(0, Math.round(hours * 60))}m`;
  if (hours < 48) return `${Math.round(hours)}h`;
  const days = hours / 24;
  return `${plain(days, days < 10 ? 1 : 0)}d`;
}

export interface Filter {
  /** Words that all must be somewhere in question, event or coin. */
  readonly text: string;
  /** Empty: every coin and none. */
  readonly coin: string;
}

export function matching(questions: readonly Question[], { text, coin }: Filter): readonly Question[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return questions.filter((question) => {
    if (coin !== '' && question.coin !== coin) return false;
    const all = `${question.question} ${question.title} ${question.coin ?? ''}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
}

/** Sort orders by name: their key, largest first with a minus before the name. */
const orders = {
  score: ({ score }: Question) => score,
  chance: ({ outcomes }: Question) => outcomes[0]?.price ?? 0,
  volume: ({ volume24hUsd }: Question) => volume24hUsd,
  liquidity: ({ liquidityUsd }: Question) => liquidityUsd,
  closes: ({ endMs }: Question) => endMs,
} as const;

export type OrderName = keyof typeof orders;

export function ordered(questions: readonly Question[], order: string): readonly Question[] {
  const name = order.replace(/^-/, '');
  const by = Object.hasOwn(orders, name) ? orders[name as OrderName] : orders.score;
  const sign = order.startsWith('-') ? -1 : 1;
  return questions.toSorted((a, b) => (by(a) - by(b)) * sign);
}

import type { AnswerOf } from '@crosstape/client';
import { percent } from './numbers.ts';

type Score = AnswerOf<'/perps/liquidations'>['meta']['inferenceScore'];

/** How right inferred liquidations were on the newest day that was compared with the chain; absent before the first. */
export function scoreText(score: Score): string | undefined {
  if (!score) return undefined;
  const share = (value: number): string => percent(value * 100, { digits: 0, signed: false });
  return `precision ${share(score.precision)}, recall ${share(score.recall)} on ${score.day}`;
}

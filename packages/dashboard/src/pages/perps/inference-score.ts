import type { AnswerOf } from '@crosstape/client';
import { percent } from '../../format/numbers.ts';

type ScoreDays = AnswerOf<'/audit/liquidations'>['data'];

/** How right the inferred liquidations were on the newest day that was compared with the chain; absent before the first. */
export function scoreText(days: ScoreDays | undefined): string | undefined {
  const scored = days?.find(({ total }) => total && total.precision !== null && total.recall !== null);
  if (!scored?.total) return undefined;
  const { precision, recall } = scored.total;
  const share = (value: number | null): string => percent((value ?? 0) * 100, { digits: 0, signed: false });
  return `precision ${share(precision)}, recall ${share(recall)} on ${scored.day}`;
}

import { roundTo } from '@crosstape/core';

const DECIMALS = 2;
const X_DECIMALS = 4;

/** Scale (tanh saturation point) and weight of each component of the score. */
export const pressureComponents = {
  /** Basis points. */
  proxyPremium: { scale: 10, weight: 0.25 },
  /** Basis points. */
  kimchiPremium: { scale: 150, weight: 0.15 },
  /** Net over volume of five minutes on the proxy venue. */
  proxyTape: { scale: 0.25, weight: 0.2 },
  /** Net over volume of five minutes on the primary venue. */
  primaryNet: { scale: 0.25, weight: 0.25 },
  /** The last complete day in standard deviations. */
  etfFlow: { scale: 1, weight: 0.15 },
} as const;

export type PressurePart = keyof typeof pressureComponents;

export interface PressureComponent {
  readonly part: PressurePart;
  readonly x: number;
  readonly scale: number;
  readonly weight: number;
  /** Contribution to the score. */
  readonly contribution: number;
}

export interface FlowPressure {
  /** From −100 (selling) to 100 (buying); 0 if no component is known. */
  readonly score: number;
  readonly components: readonly PressureComponent[];
}

/** 100 × Σ wᵢ·tanh(xᵢ/sᵢ) / Σ wᵢ over the components that are known. */
export function flowPressure(known: Readonly<Partial<Record<PressurePart, number>>>): FlowPressure {
  const parts = (Object.keys(pressureComponents) as PressurePart[]).flatMap((part) => {
    const x = known[part];
    return x === undefined ? [] : [{ part, x, ...pressureComponents[part] }];
  });
  const weights = parts.reduce((sum, { weight }) => sum + weight, 0);
  let score = 0;
  const components = parts.map(({ part, x, scale, weight }) => {
    const contribution = (100 * weight * Math.tanh(x / scale)) / weights;
    score += contribution;
    return { part, x: roundTo(x, X_DECIMALS), scale, weight, contribution: roundTo(contribution, DECIMALS) };
  });
  return { score: Math.max(-100, Math.min(100, roundTo(score, DECIMALS))), components };
}

/** The score as a headline, for a coin without signals. */
export function pressureInWords(score: number): string {
  const size = Math.abs(score);
  if (size < 10) return 'Balanced flows';
  const side = score > 0 ? 'buying' : 'selling';
  return size < 25
    ? `Slight ${side} pressure`
    : size < 50
      ? `Mild ${side} pressure`
      : `High ${side} pressure`;
}

import type { AlertRule, AlertSide } from '../../alerts/alert-rule.ts';
import type { Figure } from './screener-rows.ts';

type NewRule = Omit<AlertRule, 'id' | 'isOn'>;
type Condition = Pick<AlertRule, 'kind' | 'minutes'> & { readonly sides: readonly AlertSide[] };

const bothSides: readonly AlertSide[] = ['above', 'below'];
/** Figures with alerts; others have none. */
const conditions: Partial<Readonly<Record<Figure, Condition>>> = {
  price: { kind: 'price', minutes: 0, sides: bothSides },
  funding_hyperliquid: { kind: 'funding', minutes: 0, sides: bothSides },
  spread: { kind: 'fundingSpread', minutes: 0, sides: ['above'] },
  oi1h: { kind: 'oi', minutes: 60, sides: bothSides },
  oi4h: { kind: 'oi', minutes: 240, sides: bothSides },
  cvd1h: { kind: 'cvd', minutes: 60, sides: bothSides },
  cvd4h: { kind: 'cvd', minutes: 240, sides: bothSides },
};

/** The alerts that a cell of the table can be made into. */
export function alertsOf(coin: string, figure: Figure, value: number | undefined): readonly NewRule[] {
  const condition = conditions[figure];
  if (!condition || value === undefined) return [];
  const { kind, minutes, sides } = condition;
  // As a reader would type it.
  const level = Number(value.toPrecision(6));
  return sides
    .filter((side) => side === 'below' || level > 0 || ['funding', 'oi', 'cvd'].includes(kind))
    .map((side) => ({ kind, subject: coin, side, value: level, minutes }));
}

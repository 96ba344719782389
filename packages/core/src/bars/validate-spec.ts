import type { BarKind, BarParam, BarSpec } from './bar-kind.ts';
import { exactDecimal } from './exact-decimal.ts';
import { isRecord } from './is-record.ts';
import { barKinds } from './kinds/index.ts';
import { DECIMALS_MAX } from './scale.ts';

const kindsByName: ReadonlyMap<string, BarKind> = new Map(barKinds.map((kind) => [kind.name, kind]));

/** A canonical spec, or an error message. */
export type SpecCheck = { readonly spec: BarSpec } | { readonly error: string };

export function validateSpec(kindName: unknown, params: unknown, tick: unknown): SpecCheck {
  const kind = typeof kindName === 'string' ? kindsByName.get(kindName) : undefined;
  if (!kind) return { error: `kind must be one of ${[...kindsByName.keys()].join(', ')}.` };
  if (params !== undefined && !isRecord(params)) return { error: 'params must be an object.' };
  const given = params ?? {};
  const unknown = Object.keys(given).find((name) => !kind.params.some((param) => param.name === name));
  if (unknown !== undefined) {
    const names = kind.params.map((param) => param.name).join(', ');
    return { error: `params.${unknown} is not a parameter of ${kind.name} bars, which take ${names}.` };
  }
  const complete: Record<string, number | string> = {};
  for (const param of kind.params) {
    const value = given[param.name] === undefined ? param.default : given[param.name];
    if (!isAllowed(param, value)) {
      const verb = value === undefined ? 'is required and must be' : 'must be';
      return { error: `params.${param.name} ${verb} ${allowedText(param)}.` };
    }
    complete[param.name] = value;
  }
  if (!isTick(tick)) return { error: `tick must be a number above 0 with at most ${DECIMALS_MAX} decimals.` };
  return { spec: { kind: kind.name, params: complete, tick } };
}

/** The kind of a validated spec. */
export function kindOf(spec: BarSpec): BarKind {
  const kind = kindsByName.get(spec.kind);
  if (!kind) throw new RangeError(`unknown bar kind ${spec.kind}`);
  return kind;
}

/** The allowed values of a parameter, in words. */
export function allowedText(param: BarParam): string {
  if (param.type === 'integer') return `a whole number from ${param.min} to ${param.max}`;
  if (param.type === 'number') return `a number above ${param.above}`;
  return `one of ${param.choices.join(', ')}`;
}

function isAllowed(param: BarParam, value: unknown): value is number | string {
  if (param.type === 'choice') return typeof value === 'string' && param.choices.includes(value);
  if (typeof value !== 'number' || !Number.isFinite(value)) return false;
  if (param.type === 'number') return value > param.above;
  return Number.isInteger(value) && value >= param.min && value <= param.max;
}

function isTick(tick: unknown): tick is number {
  return (
    typeof tick === 'number' &&
    Number.isFinite(tick) &&
    tick > 0 &&
    exactDecimal(tick).decimals <= DECIMALS_MAX
  );
}

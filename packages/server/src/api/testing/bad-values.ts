import type { TObject } from 'typebox';
import type { ParameterSchema } from '../../http/read-query.ts';

/** No parameter takes one of these anywhere in it. */
const CONTROLS = ['\u0000', '\n', '\u001f', '\u007f', '\u0085'];
/** Names that no path takes as parameters. */
const UNKNOWN = ['unknown=1', 'Coins=BTC', 'api-key=x', '=1', '__proto__=1'];
/** Lists up to this length are also tried with one entry too many. */
const LIST_TRIED_MAX = 100;

export interface BadCase {
  readonly path: string;
  readonly search: string;
  /** What the error must name. */
  readonly names: string;
}

interface Served {
  readonly path: string;
  readonly query: TObject;
  readonly examples?: readonly { readonly search: string }[];
}

/** Queries that a path must refuse, derived from the schema of its query. */
export function badCasesOf({ path, query, examples = [] }: Served): readonly BadCase[] {
  const parameters = query.properties as Readonly<Record<string, ParameterSchema>>;
  const required = (query.required ?? []) as readonly string[];
  const given = new URLSearchParams(examples[0]?.search ?? '');
  const base = required.map((name) => [name, given.get(name) ?? validValue(parameters[name] ?? {})] as const);
  const searchOf = (name: string, ...values: readonly string[]): string =>
    [...base.filter(([other]) => other !== name), ...values.map((value) => [name, value] as const)]
      .map(([key, value]) => `${key}=${encodeURIComponent(value)}`)
      .join('&');
  const join = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join('&');
  return [
    ...UNKNOWN.map((extra) => ({
      path,
      search: join(searchOf(''), extra),
      names: extra.split('=')[0] ?? '',
    })),
    ...Object.entries(parameters).flatMap(([name, parameter]) => [
      ...['', ...badValues(parameter), ...CONTROLS.map((control) => `1${control}`)].map((value) => ({
        path,
        search: searchOf(name, value),
        names: name,
      })),
      ...(parameter.explode === true ? [] : [{ path, search: searchOf(name, '1', '1'), names: name }]),
      { path, search: join(searchOf(name), `${name}=%zz`), names: '%zz' },
    ]),
    ...required.map((name) => ({ path, search: searchOf(name), names: name })),
  ];
}

function validValue({ enum: values, items, default: value }: ParameterSchema): string {
  if (items) return validValue(items);
  if (typeof value === 'number' || typeof value === 'string') return String(value);
  return values?.[0] ?? 'BTC';
}

/** Invalid values of a parameter; none is empty. */
function badValues(parameter: ParameterSchema): readonly string[] {
  const { type, items = {}, explode, maxItems = Number.POSITIVE_INFINITY } = parameter;
  if (type === 'array') {
    const one = validValue(items);
    const tooMany = Array.from({ length: maxItems <= LIST_TRIED_MAX ? maxItems + 1 : 0 }, (_, i) => `C${i}`);
    const lists = explode ? [] : [',', `${one},`, `${one},,${one}`, tooMany.join(',')];
    // An entry with a comma in it is a list of two.
    const entries = badValues(items).filter((value) => explode || !value.includes(','));
    return [...lists.filter((list) => list !== ''), ...entries];
  }
  if (type === 'number' || type === 'integer') return badNumbers(parameter);
  if (parameter.enum) return badChoices(parameter, parameter.enum);
  const { pattern } = parameter;
  if (pattern === undefined) return [];
  const tried = ['A B', 'BTC,ETH', 'A'.repeat(300), 'é é', '1.5 '];
  return tried.filter((text) => !new RegExp(pattern, 'u').test(text));
}

function badNumbers({ type, minimum, maximum, exclusiveMinimum }: ParameterSchema): readonly string[] {
  const malformed =
    type === 'integer' ? ['ten', '1.5', '1e1', '010', '+1'] : ['abc', '1,000', '0x1', 'NaN', '1e999', '+1'];
  return [
    ...malformed,
    ...(minimum === undefined ? [] : [String(minimum - 1)]),
    ...(maximum === undefined ? [] : [String(maximum + 1)]),
    ...(exclusiveMinimum === undefined ? [] : [String(exclusiveMinimum)]),
  ];
}

function badChoices({ names }: ParameterSchema, values: readonly string[]): readonly string[] {
  // Venues and coins are found in any case.
  const otherCase = values.map((value) =>
    value === value.toUpperCase() ? value.toLowerCase() : value.toUpperCase(),
  );
  return [
    'no-such-value',
    ...(values.length > 1 ? [values.slice(0, 2).join(',')] : []),
    ...(names === undefined ? otherCase.filter((value) => !values.includes(value)).slice(0, 1) : []),
  ];
}

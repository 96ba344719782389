import {
  type Static,
  type TArray,
  type TEnum,
  type TInteger,
  type TOptional,
  type TSchema,
  type TString,
  Type,
} from 'typebox';

/** Longest list of a parameter; an endpoint may allow fewer. */
const LIST_ENTRIES_MAX = 1_000;

/** Texts for the documentation and errors of a parameter. */
export interface Words {
  readonly description: string;
  readonly examples?: readonly unknown[];
}

/** A parameter with a default. */
export type Defaulted<Schema extends TSchema> = TOptional<Schema> & { readonly default: Static<Schema> };

export function defaulted<Schema extends TSchema>(schema: Schema, value: Static<Schema>): Defaulted<Schema> {
  return Object.assign(Type.Optional(schema), { default: value }) as Defaulted<Schema>;
}

/** One of a few words, in exact spelling. */
export function choice<const Values extends readonly string[]>(
  values: Values,
  words: Words & { readonly reserved?: readonly string[] },
): TEnum<[...Values]> {
  return Type.Enum<[...Values]>([...values], { type: 'string', ...words });
}

/** Where a range starts, in milliseconds. */
export function startParameter(description: string): TOptional<TInteger> {
  return Type.Optional(Type.Integer({ minimum: 0, description, examples: [1_789_913_600_000] }));
}

/** Where a range ends, in milliseconds. */
export function endParameter(
  description = 'End in milliseconds since the Unix epoch, not included. Omitted: now.',
): TOptional<TInteger> {
  return Type.Optional(Type.Integer({ minimum: 0, description, examples: [1_790_000_000_000] }));
}

/** The most rows or days of one answer. */
export function limitParameter({
  max,
  byDefault,
  description,
  example,
}: {
  readonly max: number;
  readonly byDefault: number;
  readonly description: string;
  readonly example: number;
}): Defaulted<TInteger> {
  const schema = Type.Integer({ minimum: 1, maximum: max, description, examples: [example] });
  return defaulted(schema, byDefault);
}

/** The oldest point that a series is to have. */
export const sinceParameter = startParameter(
  'Only points at or after it, in milliseconds since the Unix epoch. Omitted: all that is kept.',
);

/** A ticker. Tickers need not be Latin letters, so only what would break a list or cannot be seen is refused. */
export function coinName(words: Words): TString {
  return Type.String({
    pattern: '^[^\\s,\\u0000-\\u001f\\u007f-\\u009f]{1,32}$',
    allowed: 'a ticker of 1 to 32 characters',
    ...words,
  });
}

/** A market id: `venue:symbol`. */
export function marketName(words: Words): TString {
  return Type.String({
    pattern: '^[^\\s,\\u0000-\\u001f\\u007f-\\u009f]{1,80}$',
    allowed: 'a market id such as binance:BTCUSDT',
    ...words,
  });
}

/** A venue of `ids`, in any case and by any of its names. */
export function venueName<const Ids extends readonly string[]>(ids: Ids, words?: Words): TEnum<[...Ids]> {
  return Type.Enum<[...Ids]>([...ids], { type: 'string', names: 'venue', ...words });
}

/** One of a few coins, in any case. */
export function coinChoice<const Coins extends readonly string[]>(
  coins: Coins,
  words: Words,
): TEnum<[...Coins]> {
  return Type.Enum<[...Coins]>([...coins], { type: 'string', names: 'coin', ...words });
}

/** `a,b,c` */
export function commaList<Item extends TSchema>(
  item: Item,
  words: Words & { readonly maxItems?: number },
): TArray<Item> {
  return Type.Array(item, { minItems: 1, maxItems: LIST_ENTRIES_MAX, ...words, explode: false });
}

/** `name=a&name=b` */
export function repeatable<Item extends TSchema>(
  item: Item,
  words: Words & { readonly maxItems?: number },
): TArray<Item> {
  return Type.Array(item, { minItems: 1, maxItems: LIST_ENTRIES_MAX, ...words, explode: true });
}

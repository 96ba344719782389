import {
  type Static,
  type TArray,
  type TEnum,
  type TOptional,
  type TSchema,
  type TString,
  Type,
} from 'typebox';

/** Longest list that a parameter takes; an endpoint may ask for less. */
const LIST_ENTRIES_MAX = 1_000;

/** Words about a parameter: they make its documentation and its errors. */
export interface Words {
  readonly description: string;
  readonly examples?: readonly unknown[];
}

/** A parameter that has a value even when it is not given. */
export type Defaulted<Schema extends TSchema> = TOptional<Schema> & { readonly default: Static<Schema> };

export function defaulted<Schema extends TSchema>(schema: Schema, value: Static<Schema>): Defaulted<Schema> {
  return Object.assign(Type.Optional(schema), { default: value }) as Defaulted<Schema>;
}

/** One of a few words, spelt exactly. */
export function choice<const Values extends readonly string[]>(
  values: Values,
  words: Words & { readonly reserved?: readonly string[] },
): TEnum<[...Values]> {
  return Type.Enum<[...Values]>([...values], { type: 'string', ...words });
}

/** A ticker. Tickers need not be Latin letters, so only what would break a list or cannot be seen is refused. */
/** The oldest point that a series is to have. */
export const sinceParameter = Type.Optional(
  Type.Integer({
    minimum: 0,
    description:
      'Only points at or after it, in milliseconds since the Unix epoch. Omitted: all that is kept.',
    examples: [1_789_913_600_000],
  }),
);

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

/** A venue out of `ids`, which the reader also knows by their other names and in any case. */
export function venueName<const Ids extends readonly string[]>(ids: Ids, words?: Words): TEnum<[...Ids]> {
  return Type.Enum<[...Ids]>([...ids], { type: 'string', names: 'venue', ...words });
}

/** One of a few coins, which the reader also knows in any case. */
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

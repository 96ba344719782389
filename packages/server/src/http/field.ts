import {
  type Static,
  type TBoolean,
  type TInteger,
  type TNull,
  type TNumber,
  type TObject,
  type TProperties,
  type TSchema,
  type TString,
  type TUnion,
  Type,
} from 'typebox';

/** Fields of answers, each with its description and unit. */
export function number(description: string, limits: { minimum?: number; maximum?: number } = {}): TNumber {
  return Type.Number({ description, ...limits });
}

export function count(description: string): TInteger {
  return Type.Integer({ description, minimum: 0 });
}

/** Milliseconds since the Unix epoch. */
export function timeMs(description: string): TInteger {
  return Type.Integer({ description: `${description} Milliseconds since the Unix epoch.` });
}

export function text(description: string): TString {
  return Type.String({ description });
}

export function flag(description: string): TBoolean {
  return Type.Boolean({ description });
}

export function orNull<Schema extends TSchema>(schema: Schema, description: string): TUnion<[Schema, TNull]> {
  return Type.Union([schema, Type.Null()], { description });
}

/** A record of the API under its public name, with an example that has every field. */
export function resource<Properties extends TProperties>(
  name: string,
  description: string,
  properties: Properties,
  example: Static<TObject<Properties>>,
): TObject<Properties> {
  return Type.Object(properties, { $id: name, description, examples: [example] });
}

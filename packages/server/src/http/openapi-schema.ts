import type { TSchema } from 'typebox';

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** Keywords that only the query reader uses. */
const ownKeywords = new Set(['explode', 'names', 'allowed', 'reserved']);
const ANY_NAME = '^.*$';

/**
 * A schema as in the document: named schemas become references, except where they are defined, and maps use the keyword
 * that client generators support.
 */
export function toOpenApi(schema: TSchema, place: 'definition' | 'use' = 'use'): Json {
  const { $id, ...rest } = JSON.parse(JSON.stringify(schema)) as { $id?: string } & Record<string, Json>;
  if ($id !== undefined && place === 'use') return { $ref: `#/components/schemas/${$id}` };
  return convertAll(rest);
}

function convert(value: Json): Json {
  if (Array.isArray(value)) return value.map(convert);
  if (value === null || typeof value !== 'object') return value;
  const { $id, ...rest } = value as Record<string, Json>;
  return typeof $id === 'string' ? { $ref: `#/components/schemas/${$id}` } : convertAll(rest);
}

function convertAll(schema: Record<string, Json>): Json {
  const converted: Record<string, Json> = {};
  for (const [name, value] of Object.entries(schema)) {
    if (ownKeywords.has(name)) continue;
    const map = name === 'patternProperties' ? (value as Record<string, Json>)[ANY_NAME] : undefined;
    if (map !== undefined) converted.additionalProperties = convert(map);
    else if (name === 'properties') converted[name] = convertEach(value as Record<string, Json>);
    else converted[name] = name === 'examples' || name === 'default' ? value : convert(value);
  }
  return converted;
}

/** Under `properties`, names are fields and not keywords. */
function convertEach(properties: Record<string, Json>): Json {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, convert(schema)]));
}

/** An example of a schema, composed from the examples of its parts. */
export function exampleOf(schema: TSchema): Json {
  const { examples, items, anyOf } = schema as {
    examples?: readonly Json[];
    items?: TSchema;
    anyOf?: readonly TSchema[];
  };
  if (examples?.[0] !== undefined) return examples[0];
  if (anyOf?.[0]) return exampleOf(anyOf[0]);
  return items ? [exampleOf(items)] : null;
}

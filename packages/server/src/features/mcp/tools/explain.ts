import { Type } from 'typebox';
import { Failure } from '../../../platform/errors.ts';
import type { OpenApiDocument } from '../../../http/openapi.ts';
import { tool } from '../tool.ts';

interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

interface Operation {
  readonly summary: string;
  readonly description: string;
  readonly responses: Readonly<Record<string, { content?: Readonly<Record<string, { schema: Schema }>> }>>;
}

/** Where the rules behind a path are written down: the longest prefix counts. */
const rules: readonly (readonly [prefix: string, page: string])[] = [
  ['/flows', 'flows'],
  ['/perps/liquidations', 'inferred-liquidations'],
  ['/perps/rotations', 'bars'],
  ['/perps/trades', 'formats'],
  ['/', 'units-and-conventions'],
];

/** Units in descriptions. */
const units: readonly (readonly [words: RegExp, unit: string])[] = [
  [/USD per 1 %/, 'USD per 1 % move'],
  [/milliseconds since the Unix epoch/i, 'ms since the Unix epoch'],
  [/milliseconds/i, 'ms'],
  [/basis points/i, 'basis points'],
  [/decimal fraction/i, 'decimal fraction'],
  [/percent/i, 'percent'],
  [/units of the coin|in coins/i, 'coins'],
  [/\bUSD\b/, 'USD'],
  [/hours/i, 'hours'],
];

export const explain = tool({
  name: 'explain',
  title: 'Explain a figure',
  description:
    'Returns how one figure of the service is made: its definition, unit, sources and the page with the rule behind it. Use it when a user asks what a number means or where it comes from; the figures themselves come from market_brief and the other tools, which keep the field names of the REST interface. Takes an endpoint such as `/perps/oi` and a field such as `oiUsd`; fields within lists are found by their name. It describes and returns no market data.',
  input: Type.Object(
    {
      endpoint: Type.String({
        pattern: '^/[a-z0-9/-]{1,80}$',
        allowed: 'a path such as /options/gex',
        description: 'Path of the REST interface, such as `/options/gex`. Required.',
      }),
      field: Type.String({
        pattern: '^[A-Za-z0-9_.]{1,80}$',
        allowed: 'the name of a field, such as gammaFlip',
        description: 'Name of a field in its records, such as `gammaFlip` or `callWall.strike`. Required.',
      }),
    },
    { additionalProperties: false },
  ),
  call({ endpoint, field }, rest) {
    const document = rest.document;
    const operation = operationAt(document, endpoint);
    const schema = operation && dataSchema(operation);
    if (!operation || !schema) {
      throw new Failure(
        'not_found',
        `There is no endpoint ${endpoint} with records; resource crosstape://docs/endpoints lists them.`,
      );
    }
    const found = find(document, schema, field.split('.'));
    if (!found) {
      throw new Failure(
        'not_found',
        `${endpoint} has no field ${field}; fields: ${fieldsOf(document, schema).join(', ')}.`,
      );
    }
    const formula = found.description ?? operation.summary;
    const unit = units.find(([words]) => words.test(formula))?.[1] ?? 'none';
    const page = (rules.find(([prefix]) => endpoint.startsWith(prefix)) as readonly [string, string])[1];
    const decision = `crosstape://docs/${page}`;
    return Promise.resolve({
      text: `${field} of ${endpoint}: ${formula} Unit: ${unit}. ${operation.description.split('\n')[0]} The rule is described in ${decision}.`,
      metas: [{ fetchedAt: rest.nowMs, source: 'crosstape' }],
      units: { [field]: unit },
      figures: { endpoint, field, formula, unit, sources: operation.description, decision },
    });
  },
});

function operationAt(document: OpenApiDocument, path: string): Operation | undefined {
  const methods = document.paths[path] as Readonly<Record<string, Operation>> | undefined;
  return methods?.get ?? methods?.post;
}

function dataSchema({ responses }: Operation): Schema | undefined {
  return responses['200']?.content?.['application/json']?.schema.properties?.data;
}

/** The schema with everything that it refers to, or is one of, in place. */
function variants(document: OpenApiDocument, schema: Schema): readonly Schema[] {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1) as string;
    const { schemas } = document.components as { readonly schemas: Readonly<Record<string, Schema>> };
    return variants(document, schemas[name] as Schema);
  }
  if (schema.anyOf) return schema.anyOf.flatMap((one) => variants(document, one));
  return schema.items ? variants(document, schema.items) : [schema];
}

/** Nested records are searched as well, so that a caller need not know the path of a field. */
function find(
  document: OpenApiDocument,
  schema: Schema,
  path: readonly string[],
  depth = 0,
): Schema | undefined {
  const [name, ...rest] = path as [string, ...string[]];
  for (const { properties = {} } of variants(document, schema)) {
    const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (own) return rest.length === 0 ? own : find(document, own, rest, depth + 1);
  }
  if (depth >= DEPTH_MAX) return undefined;
  for (const { properties = {} } of variants(document, schema)) {
    for (const inner of Object.values(properties)) {
      const found = find(document, inner, path, depth + 1);
      if (found) return found;
    }
  }
  return undefined;
}

const DEPTH_MAX = 4;

function fieldsOf(document: OpenApiDocument, schema: Schema): readonly string[] {
  return variants(document, schema).flatMap(({ properties = {} }) => Object.keys(properties));
}

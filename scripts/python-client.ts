import { isIdentifier, PythonTypes, pythonText, type Schema, snakeCase } from './python-types.ts';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

interface Operation {
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<Record<string, { content?: Readonly<Record<string, { schema: Schema }>> }>>;
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/**
 * Methods whose names do not follow from their paths. `null`: written by hand in `client.py`. A path that is not listed
 * is named after its segments without `perps`.
 */
const methodNames: Readonly<Record<string, string | null>> = {
  '/perps/oi': 'open_interest',
  '/perps/oi/history': 'open_interest_history',
  '/perps/oi/changes': 'open_interest_changes',
  '/perps/trades/history': null,
  '/perps/rotations/job': null,
  '/perps/rotations/result': null,
  '/coverage': null,
  '/candles': null,
  '/options/chain': 'option_chain',
  '/options/gex': 'gamma_exposure',
  '/options/skew': 'option_skew',
  '/options/history': 'option_history',
  '/options/trades': 'option_trades',
  '/options/flow': 'option_flow',
  '/options/volatility-index': 'volatility_index',
  '/onchain/etf-flows': 'etf_flows',
  '/onchain/treasuries': 'treasuries',
  '/onchain/valuation': 'valuation',
  '/flows/venue-spreads': 'venue_spreads',
  '/flows/kimchi': 'kimchi',
  '/flows/etf': 'etf_proxy',
  '/markets/spot': 'spot',
};

const HEADER = '# Generated from docs/openapi.json by `npm run generate`. Do not edit.';

/** The version of the service, which is that of its Python client. */
export function pythonVersion(version: string): string {
  return `${HEADER}\n"""Version of this client: that of the service it came from."""\n\nVERSION = "${version}"\n`;
}

/** The records of the REST interface as TypedDicts. */
export function pythonRecords(openApi: object): string {
  const types = new PythonTypes();
  for (const [name, schema] of Object.entries((openApi as OpenApi).components.schemas)) {
    types.define(name, schema);
  }
  return `${HEADER}
"""Records of the REST interface. Times are milliseconds since the Unix epoch."""

from __future__ import annotations

from typing import Any, Literal, TypedDict, Union


${types.text}
`;
}

/** One method for every endpoint that answers with records. */
export function pythonEndpoints(openApi: object): string {
  const { paths } = openApi as OpenApi;
  const methods = Object.entries(paths).flatMap(([path, { get }]) => {
    const method = get && methodOf(path, get);
    return method ? [method] : [];
  });
  const records = [...new Set(methods.flatMap(({ uses }) => uses))].toSorted();
  return `${HEADER}
"""One method for every REST endpoint. Field names of records are those of the service."""

from __future__ import annotations

from typing import Any, Literal, Optional, Sequence, Union

from ..http import Query
from ..rows import Record, Rows
from ..times import Time, optional_ms
from .records import (
${records.map((name) => `    ${name},`).join('\n')}
)


class Endpoints:
    """Methods of the REST interface."""

    def _rows(self, path: str, query: Query) -> Rows[Any]:
        raise NotImplementedError

    def _record(self, path: str, query: Query) -> Record[Any]:
        raise NotImplementedError

    def _document(self, path: str) -> Any:
        raise NotImplementedError

${methods.map(({ text }) => text).join('\n\n')}
`;
}

function methodOf(path: string, operation: Operation): { text: string; uses: string[] } | undefined {
  const name = path in methodNames ? methodNames[path] : defaultName(path);
  const body = operation.responses['200']?.content?.['application/json']?.schema;
  if (name === null || name === undefined || body === undefined) return undefined;
  const data = body.properties?.data;
  if (data === undefined) return { text: documentMethod(path, name, operation), uses: [] };
  const isList = data.type === 'array';
  const row = ((isList ? data.items : data)?.$ref ?? '').split('/').at(-1) as string;
  const returned = `${isList ? 'Rows' : 'Record'}[${row === '' ? 'Any' : row}]`;
  const parameters = (operation.parameters ?? []).filter((one) => one.in === 'query');
  const ordered = [
    ...parameters.filter(({ required }) => required),
    ...parameters.filter(({ required }) => !required),
  ];
  const given = ordered.map((parameter) => {
    const { name: wire, required } = parameter;
    const type = parameterType(parameter);
    return `        ${snakeCase(wire)}: ${required ? type : `Optional[${type}] = None`},`;
  });
  const isSplit = ordered.some(({ required }) => required) && ordered.some(({ required }) => !required);
  const at = ordered.filter(({ required }) => required).length;
  if (given.length > 0 && (isSplit || at === 0)) given.splice(at, 0, '        *,');
  const lines = [
    `    def ${name}(`,
    '        self,',
    ...given,
    `    ) -> ${returned}:`,
    `        """${pythonText(operation.summary ?? path)}`,
    '',
    ...ordered.flatMap(({ name: wire, schema, description }) => {
      const fallback = schema.default === undefined ? '' : ` Default: ${defaultText(schema.default)}.`;
      return wrapped(
        `${snakeCase(wire)}: ${pythonText(description ?? schema.description ?? wire)}${fallback}`,
      );
    }),
    '        """',
    `        query: Query = {${ordered.map((one) => `"${one.name}": ${valueOf(one)}`).join(', ')}}`,
    `        return self._${isList ? 'rows' : 'record'}("${path}", query)`,
  ];
  return { text: lines.join('\n'), uses: isIdentifier(row) ? [row] : [] };
}

/** A document without an envelope, such as the OpenAPI description. */
function documentMethod(path: string, name: string, { summary }: Operation): string {
  return [
    `    def ${name}(self) -> Any:`,
    `        """${pythonText(summary ?? path)}"""`,
    `        return self._document("${path}")`,
  ].join('\n');
}

function defaultText(value: unknown): string {
  return Array.isArray(value) ? value.join(',') : typeof value === 'string' ? value : JSON.stringify(value);
}

function defaultName(path: string): string {
  return snakeCase(path.slice(1).replace(/^perps\//, ''));
}

const timeParameters = ['start', 'end', 'from', 'to', 'sinceMs'];

/** Whether a parameter is a time: callers may then give a datetime or ISO text as well. */
function isTime({ name, schema }: Parameter): boolean {
  return ['integer', 'number'].includes(schema.type ?? '') && timeParameters.includes(name);
}

function valueOf(parameter: Parameter): string {
  const name = snakeCase(parameter.name);
  if (!isTime(parameter)) return name;
  return `${parameter.required ? 'to_ms' : 'optional_ms'}(${name})`;
}

function parameterType(parameter: Parameter): string {
  if (isTime(parameter)) return 'Time';
  const { type, enum: values } = parameter.schema;
  if (type === 'array') return 'Union[str, Sequence[str]]';
  if (values) return `Literal[${values.map((value) => JSON.stringify(value)).join(', ')}]`;
  return { integer: 'int', number: 'float', boolean: 'bool' }[type ?? ''] ?? 'str';
}

const DOC_WIDTH = 100;

/** A line of a docstring, broken where it gets too long. */
function wrapped(text: string): readonly string[] {
  const lines: string[] = [];
  let line = '       ';
  for (const word of text.split(' ')) {
    if (line.length + word.length > DOC_WIDTH) {
      lines.push(line);
      line = '           ';
    }
    line += ` ${word}`;
  }
  return [...lines, line];
}

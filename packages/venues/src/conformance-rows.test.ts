import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Connector, type Known, Malformed, readablePublishers } from './index.ts';

/** Enough rows that one of them is below the share at which an answer is refused as a whole. */
const ROWS_MIN = 24;
/** Rows of a sample that are broken in turn. */
const ROWS_TRIED = 3;
const GARBAGE: readonly unknown[] = [null, 5, 'x', {}];

/**
 * Where the rows of a source lie, and which fields each of its tables cannot do without. All other fields are optional:
 * without one of them a row stays.
 */
interface RowCase {
  /** `<venue>:<source>`. */
  readonly source: string;
  /** Path to the list or map of rows in a body or frame; of a source about one thing, to that thing. */
  readonly at: string;
  /** Path to a second list, whose rows belong to those of the first by their place. */
  readonly beside?: string;
  /** The answer is one row. */
  readonly isOne?: true;
  readonly required: { readonly [table: string]: readonly string[] };
}

/** `fixtures/rows.json` of a venue. */
interface RowFile {
  readonly rows: readonly RowCase[];
  /** Sources that have no rows of the kind, and why. */
  readonly without?: Readonly<Record<string, string>>;
}

type Fields = Readonly<Record<string, unknown>>;
type Tables = Readonly<Record<string, readonly string[]>>;

interface Fixture {
  readonly name: string;
  readonly frame?: string;
  readonly body?: unknown;
  readonly receivedAtMs?: number;
  readonly key?: string;
  readonly known?: Known;
  readonly expect?: Fields;
}

const connectors = new Map(
  readablePublishers.flatMap(({ id, connector }) => (connector ? [[id, connector] as const] : [])),
);

const rowFiles = [...connectors.keys()].map((id) => {
  const text = readFileSync(new URL(`./${id}/fixtures/rows.json`, import.meta.url), 'utf8');
  return [id, JSON.parse(text) as RowFile] as const;
});
const rowCases: readonly RowCase[] = rowFiles.flatMap(([id, { rows }]) =>
  rows.map((row) => ({ ...row, source: `${id}:${row.source}` })),
);
const withoutRows = rowFiles.flatMap(([id, { without: reasons = {} }]) =>
  Object.keys(reasons).map((source) => `${id}:${source}`),
);

function at(value: unknown, path: string): unknown {
  const keys = path === '' ? [] : path.split('.');
  return keys.reduce((inner, key) => (inner as Fields)[key], value);
}

/** The same with something else at a path. */
function withAt(value: unknown, path: string, changed: unknown): unknown {
  const [key = '', ...rest] = path.split('.');
  if (path === '') return changed;
  const inner = withAt((value as Fields)[key], rest.join('.'), changed);
  if (!Array.isArray(value)) return { ...(value as Fields), [key]: inner };
  return value.map((one: unknown, i) => (String(i) === key ? inner : one));
}

/** A parser of bodies or frames that gives tables of texts, and none of an answer that is refused as a whole. */
function parserOf({ source }: RowCase, known: Known, line: Fixture): (body: unknown) => Tables {
  const [venue = '', sourceName = ''] = source.split(':');
  const { resources, lookups = [], feeds, marketTrades } = connectors.get(venue) as Connector;
  const { receivedAtMs = 1_763_164_800_000, key = '' } = line;
  const polled = [...resources, ...lookups].find(({ name }) => name === sourceName);
  const feed = [...feeds, ...(marketTrades ? [marketTrades] : [])].find(({ name }) => name === sourceName);
  return (body) => {
    try {
      const reported: object | undefined = polled
        ? polled.parse(body, receivedAtMs, known, key)
        : feed?.open(() => known)(JSON.stringify(body));
      return Object.fromEntries(
        Object.entries(reported ?? {}).flatMap(([name, rows]) =>
          Array.isArray(rows) && name !== 'refused' ? [[name, rows.map((row) => JSON.stringify(row))]] : [],
        ),
      );
    } catch (error) {
      expect(error).toBeInstanceOf(Malformed);
      return {};
    }
  };
}

function fixturesOf(venue: string, source: string): readonly Fixture[] {
  const path = new URL(`./${venue}/fixtures/${source}.jsonl`, import.meta.url);
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Fixture);
}

/** Rows of a sample, as often as it takes; those of a map, and what is known of them, under other names. */
function repeated(
  body: unknown,
  known: Known,
  { at: path, beside }: RowCase,
): { body: unknown; known: Known } {
  const rows = at(body, path) as Fields | readonly unknown[];
  const times = Math.ceil(ROWS_MIN / Math.max(1, Object.keys(rows).length));
  const copies = Array.from({ length: times }, (_, i) => (i === 0 ? '' : `${i}X`));
  if (Array.isArray(rows)) {
    const list = copies.flatMap(() => rows);
    const second = beside === undefined ? undefined : (at(body, beside) as readonly unknown[]);
    const whole = withAt(body, path, list);
    return {
      body:
        beside === undefined
          ? whole
          : withAt(
              whole,
              beside,
              copies.flatMap(() => second),
            ),
      known,
    };
  }
  const map = copies.flatMap((prefix) => Object.entries(rows).map(([key, row]) => [`${prefix}${key}`, row]));
  const listed = copies.flatMap((prefix) =>
    (known.instruments ?? []).map((one) => ({ ...one, symbol: `${prefix}${one.symbol}` })),
  );
  return {
    body: withAt(body, path, Object.fromEntries(map)),
    known: { ...known, ...(known.instruments && { instruments: listed }) },
  };
}

/** The body without a row. */
function without(body: unknown, { at: path, beside }: RowCase, key: string): unknown {
  const leave = (inner: unknown, one: string): unknown => {
    const rows = at(inner, one) as Fields | readonly unknown[];
    const isOther = ([other]: [string, unknown]): boolean => other !== key;
    const kept = Object.entries(rows).filter(isOther);
    return withAt(inner, one, Array.isArray(rows) ? kept.map(([, row]) => row) : Object.fromEntries(kept));
  };
  return beside === undefined ? leave(body, path) : leave(leave(body, path), beside);
}

/** Each field of a row removed, and set to null. */
function withoutField(row: Fields, field: string): readonly Fields[] {
  const { [field]: _, ...rest } = row;
  return [rest, { ...rest, [field]: null }];
}

/** What is in the one and not, as often, in the other. */
function difference(one: readonly string[] = [], other: readonly string[] = []): readonly string[] {
  const left = [...other];
  return one.filter((text) => {
    const i = left.indexOf(text);
    if (i >= 0) left.splice(i, 1);
    return i < 0;
  });
}

/** Whether a row is one of the others that lost optional fields. */
function isPartOf(row: string, others: readonly string[] = []): boolean {
  const fields = Object.entries(JSON.parse(row) as Fields);
  return others.some((other) => {
    const whole = JSON.parse(other) as Fields;
    return fields.every(([name, value]) => JSON.stringify(whole[name]) === JSON.stringify(value));
  });
}

function rowsIn(tables: Tables, table: string): number {
  return tables[table]?.length ?? 0;
}

it('has a case for every source, or a reason why not', () => {
  const named = new Set([...rowCases.map(({ source }) => source), ...withoutRows]);
  const all = [...connectors].flatMap(([id, { resources, lookups = [], feeds, marketTrades = [] }]) =>
    [resources, lookups, feeds, marketTrades].flat().map(({ name }) => `${id}:${name}`),
  );
  // Of sources that differ in nothing but a period or a metric one stands for all.
  const kinds = (source: string): string =>
    source.replace(/-(15m|4h)$/, '-1h').replace(/^bitcoindata:.*/, 'bitcoindata:metric');
  expect(all.map(kinds).filter((source) => !named.has(source))).toEqual([]);
});

/** A sample of a source: the first fixture that yields rows of every table. */
function sampleOf({ source, at: path, required }: RowCase): {
  readonly line: Fixture;
  readonly body: unknown;
  readonly known: Known;
} {
  const [venue = '', name = ''] = source.split(':');
  const lines = fixturesOf(venue, name);
  const hasRows = ({ expect: reported }: Fixture): boolean =>
    Object.keys(required).every((table) => ((reported?.[table] ?? []) as unknown[]).length > 0);
  const samples = lines.filter(hasRows).map((line) => ({
    line,
    body: line.frame === undefined ? line.body : (JSON.parse(line.frame) as unknown),
    known: line.known ?? lines[0]?.known ?? {},
  }));
  const found = samples.find(({ body }) => typeof at(body, path) === 'object');
  if (!found) throw new Error(`${source} has no fixture with rows at "${path}"`);
  return found;
}

describe.each(rowCases.filter(({ isOne }) => isOne))('$source at "$at"', (rowCase) => {
  const { at: path, required } = rowCase;

  it('needs its required fields, and no other', () => {
    const { line, body, known } = sampleOf(rowCase);
    const parse = parserOf(rowCase, known, line);
    const whole = parse(body);
    const row = at(body, path) as Fields;
    for (const field of Object.keys(row)) {
      for (const changed of withoutField(row, field)) {
        const reported = parse(withAt(body, path, changed));
        for (const [table, fields] of Object.entries(required)) {
          const kept = fields.includes(field) ? 0 : rowsIn(whole, table);
          expect(rowsIn(reported, table), `${table} without ${field}`).toBe(kept);
        }
      }
    }
  });
});

describe.each(rowCases.filter(({ isOne }) => !isOne))('a row of $source at "$at"', (rowCase) => {
  const { at: path, required } = rowCase;
  const tables = Object.keys(required);
  const sample = sampleOf(rowCase);
  const { body, known } = repeated(sample.body, sample.known, rowCase);
  const parse = parserOf(rowCase, known, sample.line);
  const whole = parse(body);
  const rows = at(body, path) as Fields | readonly unknown[];
  const changedAt = (key: string, row: unknown): Tables =>
    parse(withAt(body, `${path ? `${path}.` : ''}${key}`, row));
  /** How many rows of a table come from one row of the answer. */
  const yieldOf = (key: string, table: string): number =>
    rowsIn(whole, table) - rowsIn(parse(without(body, rowCase, key)), table);
  const tried = Object.keys(rows)
    .filter((key) => tables.some((table) => yieldOf(key, table) > 0))
    .slice(0, ROWS_TRIED);

  it('can be broken', () => {
    expect(tried.length).toBeGreaterThan(0);
  });

  it.each(GARBAGE)('costs at most itself when it is %j', (garbage) => {
    for (const key of tried) {
      const reported = changedAt(key, garbage);
      for (const table of tables) {
        const label = `${table} of ${key}`;
        const changed = difference(reported[table], whole[table]);
        expect(
          changed.filter((row) => !isPartOf(row, whole[table])),
          label,
        ).toEqual([]);
        expect(changed.length, label).toBeLessThanOrEqual(yieldOf(key, table));
        expect(rowsIn(whole, table) - rowsIn(reported, table), label).toBeLessThanOrEqual(
          yieldOf(key, table),
        );
      }
    }
  });

  it('keeps a row without an optional field, and drops only that row without a required one', () => {
    for (const key of tried) {
      const row = (rows as Fields)[key] as Fields;
      for (const field of Object.keys(row)) {
        for (const changed of withoutField(row, field)) {
          const reported = changedAt(key, changed);
          for (const [table, fields] of Object.entries(required)) {
            const label = `${table} without ${field} of ${key}`;
            const cost = fields.includes(field) ? yieldOf(key, table) : 0;
            expect(rowsIn(whole, table) - rowsIn(reported, table), label).toBe(cost);
            expect(difference(whole[table], reported[table]).length, label).toBeLessThanOrEqual(
              Math.max(1, cost),
            );
          }
        }
      }
    }
  });
});

import fc from 'fast-check';
import type { ColumnChunk, DecodedArray } from 'hyparquet';
import { ByteWriter } from 'hyparquet-writer';
import { writeColumn } from 'hyparquet-writer/src/column.js';
import { describe, expect, it } from 'vitest';
import { ColumnEncoder, ENCODED_ROWS_MIN } from './encode-columns.ts';
import type { ParquetColumn } from './parquet-file.ts';

const compress = (bytes: Uint8Array): Uint8Array => bytes.slice();

/** The file position matters, too: chunks begin somewhere behind others. */
function writerAt(start: number): ByteWriter {
  const writer = new ByteWriter();
  writer.appendBytes(new Uint8Array(start));
  return writer;
}

interface Written {
  readonly chunk: ColumnChunk | undefined;
  readonly bytes: Buffer;
}

function byUs(column: ParquetColumn, values: DecodedArray, encoder = new ColumnEncoder(compress)): Written {
  const writer = writerAt(7);
  const chunk = encoder.write(writer, column, values);
  return { chunk, bytes: Buffer.from(writer.getBytes()) };
}

function byLibrary({ name, type, encoding }: ParquetColumn, values: DecodedArray): Written {
  const writer = writerAt(7);
  const element = {
    name,
    type: type === 'STRING' ? 'BYTE_ARRAY' : type,
    ...(type === 'STRING' && { converted_type: 'UTF8' as const }),
    repetition_type: 'REQUIRED' as const,
  } as const;
  const { chunk } = writeColumn({
    writer,
    column: {
      columnName: name,
      element,
      schemaPath: [{ name: 'root', num_children: 1 }, element],
      codec: 'BROTLI',
      compressors: { BROTLI: compress },
      stats: false,
      pageSize: 0,
      columnIndex: false,
      offsetIndex: false,
      ...(encoding && { encoding }),
    },
    pageData: { values, definitionLevels: [], repetitionLevels: [], maxDefinitionLevel: 0 },
  });
  return { chunk, bytes: Buffer.from(writer.getBytes()) };
}

/** Lengths around whole blocks and groups. */
const lengths = fc.integer({ min: ENCODED_ROWS_MIN, max: ENCODED_ROWS_MIN + 300 });
/** Runs of random lengths, whose values are chosen among some. */
function runs<Value>(value: fc.Arbitrary<Value>, runMax: number): fc.Arbitrary<Value[]> {
  return fc
    .tuple(lengths, fc.infiniteStream(fc.tuple(value, fc.integer({ min: 1, max: runMax }))))
    .map(([length, stream]) => {
      const all: Value[] = [];
      for (const [one, count] of stream) {
        for (let i = 0; i < count; i += 1) all.push(one);
        if (all.length >= length) return all.slice(0, length);
      }
      return all;
    });
}

interface Other {
  /** Input of the library; default: the same values. */
  readonly values?: DecodedArray;
  readonly encoder?: ColumnEncoder;
}

describe('a column has the bytes and metadata of the library', () => {
  const check = (column: ParquetColumn, values: DecodedArray, other: Other = {}): void => {
    const ours = byUs(column, values, other.encoder);
    const theirs = byLibrary(column, other.values ?? values);
    expect(ours.chunk).toEqual(theirs.chunk);
    expect(ours.bytes.equals(theirs.bytes)).toBe(true);
  };

  it('with times', () => {
    const column = { name: 'ts', type: 'INT64', encoding: 'DELTA_BINARY_PACKED' } as const;
    const step = fc.oneof(
      fc.constant(0),
      fc.integer({ min: 0, max: 40 }),
      fc.integer({ min: -3, max: 2 ** 24 }),
    );
    const first = fc.integer({ min: -(2 ** 40), max: 2 ** 42 });
    fc.assert(
      fc.property(first, runs(step, 200), (start, steps) => {
        let at = start;
        const values = BigInt64Array.from(steps, (one) => BigInt((at += one)));
        check(column, values);
      }),
      { numRuns: 30 },
    );
  });

  it('with flags', () => {
    const column = { name: 'is_buy', type: 'BOOLEAN' } as const;
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }).chain((max) => runs(fc.boolean(), max)),
        (flags) => {
          check(column, Uint8Array.from(flags, Number), { values: flags });
        },
      ),
      { numRuns: 30 },
    );
  });

  it.each([1, 2, 3, 255, 256, 300, 500, 5_000])('with figures out of %i', (distinct) => {
    const column = { name: 'price', type: 'DOUBLE' } as const;
    const figure = fc.integer({ min: 1, max: distinct }).map((value) => value / 100);
    fc.assert(
      fc.property(runs(figure, 12), (figures) => {
        check(column, Float64Array.from(figures));
      }),
      { numRuns: 10 },
    );
  });

  it('with the same text in all rows, and with ids', () => {
    const texts = Array.from({ length: ENCODED_ROWS_MIN }, () => 'kPÉPE');
    check({ name: 'coin', type: 'STRING' }, texts);
    const ids = BigInt64Array.from(texts, (_, i) => BigInt(i * 2_654_435_761) - 5n);
    check({ name: 'tid', type: 'INT64', encoding: 'PLAIN' }, ids);
  });

  it('when it is a part of an array, and others were encoded before', () => {
    const column = { name: 'price', type: 'DOUBLE' } as const;
    const all = Float64Array.from({ length: 9_000 }, (_, i) => i % 77);
    const encoder = new ColumnEncoder(compress);
    for (const part of [all, all.subarray(3, 2_500), all.subarray(5_000, 6_001)])
      check(column, part, { encoder });
  });
});

it.each<[string, ParquetColumn, DecodedArray]>([
  ['few rows', { name: 'price', type: 'DOUBLE' }, new Float64Array(ENCODED_ROWS_MIN - 1)],
  [
    'null',
    { name: 'price', type: 'DOUBLE', isNullable: true },
    Array.from({ length: ENCODED_ROWS_MIN }, () => null),
  ],
  [
    'different texts',
    { name: 'coin', type: 'STRING' },
    Array.from({ length: ENCODED_ROWS_MIN }, (_, i) => String(i)),
  ],
  [
    'times that are far apart',
    { name: 'ts', type: 'INT64', encoding: 'DELTA_BINARY_PACKED' },
    BigInt64Array.from({ length: ENCODED_ROWS_MIN }, (_, i) => BigInt(i) << (i === 700 ? 30n : 0n)),
  ],
  [
    'times beyond exact numbers',
    { name: 'ts', type: 'INT64', encoding: 'DELTA_BINARY_PACKED' },
    new BigInt64Array(ENCODED_ROWS_MIN).fill(2n ** 60n),
  ],
])('leaves %s to the library, and writes nothing', (_, column, values) => {
  expect(byUs(column, values)).toEqual({ chunk: undefined, bytes: Buffer.alloc(7) });
});

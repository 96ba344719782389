import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ParquetColumn, writeParquet } from './parquet-file.ts';
import { ColumnChecksums, readBack } from './read-back.ts';

const columns: readonly ParquetColumn[] = [
  { name: 'ts', type: 'INT64', encoding: 'DELTA_BINARY_PACKED' },
  { name: 'price', type: 'DOUBLE' },
  { name: 'coin', type: 'STRING' },
];
const ts = BigInt64Array.of(1_767_225_600_001n, 1_767_225_600_000n, -5n, 9_007_199_254_740_991n);
const price = Float64Array.of(101.5, 0.1, 101.5, 7);
const group = [ts, price, ['BTC', 'BTC', 'BTC', 'BTC']];

/** Sides, and a time that is null now and then, beside the columns above. */
const allColumns: readonly ParquetColumn[] = [
  ...columns,
  { name: 'is_buy', type: 'BOOLEAN' },
  { name: 'venue_ts', type: 'INT64', isNullable: true },
];
function rowsOf(length: number) {
  const count = Array.from({ length }, (_, i) => i);
  return [
    BigInt64Array.from(count, (i) => 1_767_225_600_000n + BigInt(i * 3)),
    Float64Array.from(count, (i) => 100 + (i % 50) / 2),
    count.map(() => 'BTC'),
    Uint8Array.from(count, (i) => (i % 7 < 3 ? 1 : 0)),
    count.map((i) => (i % 10 === 0 ? BigInt(i) : null)),
  ];
}

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crosstape-parquet-'));
  path = join(folder, 'a.parquet');
});
afterEach(() => rm(folder, { recursive: true }));

it('has the range of each column of numbers, group by group', async () => {
  const later = [ts.map((value) => value - 1n), price.map((value) => -value), group[2]!];
  await writeParquet(path, { columns, metadata: {}, isProven: true }, [group, later]);
  const connection = await (await DuckDBInstance.create()).connect();
  const found = await connection.runAndReadAll(
    `SELECT path_in_schema, stats_min_value, stats_max_value FROM parquet_metadata('${path}') ORDER BY row_group_id, column_id`,
  );
  expect(found.getRows()).toEqual([
    ['ts', '-5', '9007199254740991'],
    ['price', '0.1', '101.5'],
    ['coin', null, null],
    ['ts', '-6', '9007199254740990'],
    ['price', '-101.5', '-0.1'],
    ['coin', null, null],
  ]);
});

it('is read back: other rows, other values or damaged bytes are found', async () => {
  const { rows } = await writeParquet(path, { columns, metadata: {}, isProven: true }, [group]);
  const checksums = new ColumnChecksums();
  checksums.add('ts', ts.subarray(0, 1));
  checksums.add('ts', ts.subarray(1));
  checksums.add('price', price);
  await readBack(path, rows, checksums.byColumn);
  await expect(readBack(path, rows + 1, checksums.byColumn)).rejects.toThrow(
    'has 4 rows, but 5 were written',
  );
  const other = new ColumnChecksums();
  other.add('price', price.with(3, 8));
  await expect(readBack(path, rows, other.byColumn)).rejects.toThrow('column price differs');
  await writeFile(path, (await readFile(path)).fill(0, 8, 40));
  await expect(readBack(path, rows, checksums.byColumn)).rejects.toThrow();
});

it.each([9, 900, 2_500])('has the rows of groups of %i for other readers', async (length) => {
  const rows = rowsOf(length);
  await writeParquet(path, { columns: allColumns, metadata: {}, isProven: true }, [rows, rows]);
  const connection = await (await DuckDBInstance.create()).connect();
  const found = await connection.runAndReadAll(`SELECT * FROM '${path}'`);
  const expected = Array.from({ length }, (_, i) =>
    rows.map((values) => (values instanceof Uint8Array ? values[i] === 1 : values[i])),
  );
  expect(found.getRows()).toEqual([...expected, ...expected]);
});

it('finds a side that differs', async () => {
  const rows = rowsOf(2_000);
  await writeParquet(path, { columns: allColumns, metadata: {} }, [rows]);
  const other = new ColumnChecksums();
  other.add('is_buy', (rows[3] as Uint8Array).with(1_999, 1));
  await expect(readBack(path, 2_000, other.byColumn)).rejects.toThrow('column is_buy differs');
});

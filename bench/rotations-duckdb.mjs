/**
 * One-minute bars by DuckDB over Parquet, on one thread: answers each message with the CPU seconds and the time on the
 * clock of one query. In its own process: merely loaded, the library makes gunzip a quarter slower.
 *
 *     fork('rotations-duckdb.mjs', [parquet])
 */
import { DuckDBInstance } from '@duckdb/node-api';

const [parquet] = process.argv.slice(2);
const instance = await DuckDBInstance.create(':memory:');
const duckdb = await instance.connect();
await duckdb.run('SET threads = 1');
const sql = `SELECT ts // 60000 AS bucket, first(price), max(price), min(price), last(price), sum(size),
  sum(CASE WHEN isBuy THEN size ELSE 0 END), sum(price * size), count(*)
  FROM '${parquet}' GROUP BY bucket ORDER BY bucket`;

process.on('message', async () => {
  const startedMs = performance.now();
  const before = process.cpuUsage();
  const bars = (await duckdb.runAndReadAll(sql)).currentRowCount;
  const { user, system } = process.cpuUsage(before);
  process.send({ cpuS: (user + system) / 1e6, clockS: (performance.now() - startedMs) / 1e3, bars });
});
process.send({});

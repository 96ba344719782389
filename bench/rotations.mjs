/**
 * How fast bars are built from recorded chunks, against gunzip alone on the same chunks and against DuckDB; whether two
 * builds use two threads; how fast the loops alone are against a peer's; and what callers of the service notice of a build, beside a plain CPU burner.
 *
 *     npm run bench:rotations
 *     npm run bench:rotations -- --trades 1000000 --rounds 3
 */
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import { measureService } from './rotations-service.mjs';
import { recordTape } from './rotations-tape.mjs';

const { values } = parseArgs({
  options: { trades: { type: 'string', default: '10000000' }, rounds: { type: 'string', default: '5' } },
});
const data = mkdtempSync(join(tmpdir(), 'rotations-'));
try {
  const csv = join(data, 'trades.csv');
  const file = openSync(csv, 'w');
  writeSync(file, 'ts,price,size,isBuy\n');
  const tape = await recordTape(data, Number(values.trades), (columns) => writeSync(file, rowsOf(columns)));
  closeSync(file);
  const parquet = await toParquet(csv);
  const order = JSON.stringify({ ...tape, parquet, rounds: Number(values.rounds) });
  run('rotations-builds.mjs', order);
  for (const kind of ['time', 'tick', 'volume']) run('bars.ts', '--kind', kind, '--rounds', values.rounds);
  await measureService(data);
} finally {
  rmSync(data, { recursive: true });
}

function run(script, ...args) {
  try {
    const path = fileURLToPath(new URL(script, import.meta.url));
    const loader = script.endsWith('.ts') ? ['--import', 'tsx', '--conditions=crosstape-source'] : [];
    execFileSync(process.execPath, [...loader, path, ...args], { stdio: 'inherit' });
  } catch {
    process.exitCode = 1;
  }
}

function rowsOf({ length, ts, price, size, isBuy, priceDecimals, sizeDecimals }) {
  const [dollar, coin] = [10 ** priceDecimals, 10 ** sizeDecimals];
  let text = '';
  for (let i = 0; i < length; i += 1)
    text += `${ts[i]},${price[i] / dollar},${size[i] / coin},${isBuy[i] === 1}\n`;
  return text;
}

async function toParquet(csv) {
  const parquet = join(data, 'trades.parquet');
  const instance = await DuckDBInstance.create(':memory:');
  const duckdb = await instance.connect();
  const columns = `{ts: 'BIGINT', price: 'DOUBLE', size: 'DOUBLE', isBuy: 'BOOLEAN'}`;
  await duckdb.run(
    `COPY (FROM read_csv('${csv}', columns = ${columns})) TO '${parquet}' (FORMAT parquet, COMPRESSION zstd)`,
  );
  duckdb.closeSync();
  instance.closeSync();
  return parquet;
}

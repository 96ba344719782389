import { closeSync, createReadStream, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGzip } from 'node:zlib';
import type { TickColumns } from '@crosstape/core';
import { DuckDBInstance } from '@duckdb/node-api';

/** The same trades as other formats hold them: without coin and id, as the chunks are. */
export class Peers {
  readonly #folder = mkdtempSync(join(tmpdir(), 'codec-'));
  readonly #csv = join(this.#folder, 'trades.csv');
  readonly #file = openSync(this.#csv, 'w');

  constructor() {
    writeSync(this.#file, 'ts,price,size,side,sameOrder\n');
  }

  add({ length, ts, price, size, isBuy, sameOrder, priceDecimals, sizeDecimals }: TickColumns): void {
    const [dollar, coin] = [10 ** priceDecimals, 10 ** sizeDecimals];
    let text = '';
    for (let i = 0; i < length; i += 1) {
      const side = isBuy[i] === 1 ? 'buy' : 'sell';
      text += `${ts[i]},${(price[i] ?? 0) / dollar},${(size[i] ?? 0) / coin},${side},${sameOrder[i]}\n`;
    }
    writeSync(this.#file, text);
  }

  /** Bytes of each format. Prices and sizes are usually stored as doubles; Parquet compresses whole numbers better. */
  async measure(): Promise<{ csvGz: number; parquet: number; parquetWhole: number }> {
    closeSync(this.#file);
    let csvGz = 0;
    for await (const part of createReadStream(this.#csv).pipe(createGzip()))
      csvGz += Buffer.from(part).length;
    const instance = await DuckDBInstance.create(':memory:');
    const duckdb = await instance.connect();
    await duckdb.run('SET threads = 1');
    await duckdb.run('SET preserve_insertion_order = true');
    const columns = `{ts: 'BIGINT', price: 'DOUBLE', size: 'DOUBLE', side: 'VARCHAR', sameOrder: 'BOOLEAN'}`;
    await duckdb.run(`CREATE TABLE trades AS FROM read_csv('${this.#csv}', columns = ${columns})`);
    const sizeAs = async (select: string): Promise<number> => {
      const path = join(this.#folder, 'trades.parquet');
      await duckdb.run(`COPY (${select}) TO '${path}' (FORMAT parquet, COMPRESSION zstd)`);
      return statSync(path).size;
    };
    const parquet = await sizeAs('SELECT ts, price, size, side, sameOrder FROM trades');
    // Six decimals of price and five of size hold every coin of the simulator.
    const parquetWhole = await sizeAs(
      `SELECT ts, round(price * 1e6)::BIGINT AS price, round(size * 1e5)::BIGINT AS size, side = 'buy' AS isBuy,
       sameOrder FROM trades`,
    );
    duckdb.closeSync();
    instance.closeSync();
    rmSync(this.#folder, { recursive: true });
    return { csvGz, parquet, parquetWhole };
  }
}

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { WriteStream } from 'node:tty';
import type { Trade } from '@crosstape/core';
import { CoinWriter } from '../../seeding/coin-writer.ts';
import { openDataFolder } from '../../store/data-folder.ts';
import { GapLedger, type Gap } from '../../features/tape/gap-ledger.ts';
import { LmdbStore } from '../../store/lmdb-store.ts';
import { TickBuffer } from '../../features/tape/tick-buffer.ts';
import { TickTable } from '../../features/tape/tick-table.ts';
import type { Terminal } from '../command.ts';
import { ticks } from './ticks.ts';

export const owner = { coin: 'BTC', venue: 'hyperliquid' };

/** Output and exit code of a command. */
export interface Run {
  readonly code: number;
  readonly out: string;
  readonly error: string;
}

/** Data folders and files that are removed after the test, and the command on them. */
export class TestFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'crosstape-'));
  #names = 0;

  /** An unused name. */
  name(end = ''): string {
    this.#names += 1;
    return join(this.path, `${this.#names}${end}`);
  }

  /** A data folder with recorded trades, in several runs, each continuing from the previous tail. */
  async record(...runs: readonly (readonly Trade[])[]): Promise<string> {
    const data = this.name();
    await this.within(data, async (store) => {
      for (const trades of runs) {
        const pieces = await new TickTable(store).tail(owner.coin);
        const writer = new CoinWriter({ store, owner, pieces });
        const buffer = new TickBuffer();
        for (const trade of trades) buffer.add(trade);
        writer.add(buffer);
        writer.finish('tail');
        await store.commit(writer.takeChanges());
      }
    });
    return data;
  }

  async within<Result>(data: string, use: (store: LmdbStore) => Promise<Result>): Promise<Result> {
    const store = new LmdbStore(await openDataFolder(data, 'live'));
    try {
      return await use(store);
    } finally {
      await store.close();
    }
  }

  gaps(data: string): Promise<readonly Gap[]> {
    return this.within(data, (store) => new GapLedger(store).gaps(owner.coin, 0, Number.MAX_SAFE_INTEGER));
  }

  /** Runs `crosstape ticks …`; rejects if it is refused. */
  run(...args: readonly string[]): Promise<Run> {
    return this.runIn({}, ...args);
  }

  /** The same, with environment variables. */
  async runIn(environment: Terminal['environment'], ...args: readonly string[]): Promise<Run> {
    let [out, error] = ['', ''];
    const pipe = (receive: (text: string) => void): WriteStream => {
      const stream = new PassThrough();
      stream.on('data', (part: Buffer) => receive(part.toString()));
      return stream as unknown as WriteStream;
    };
    const terminal: Terminal = {
      environment,
      out: (text) => (out += `${text}\n`),
      error: (text) => (error += `${text}\n`),
      stdout: pipe((text) => (out += text)),
      stderr: pipe((text) => (error += text)),
      stopSignal: () => new Promise(() => undefined),
    };
    const code = await ticks.run(args, terminal);
    return { code, out, error };
  }

  /** The complete export of a data folder, as a file of this format. */
  async export(data: string, format: string, ...more: readonly string[]): Promise<Buffer> {
    const out = this.name(`.${format}`);
    await this.run('export', '--coin', 'BTC', '--data', data, '--out', out, ...more);
    return readFileSync(out);
  }

  remove(): void {
    rmSync(this.path, { recursive: true });
  }
}

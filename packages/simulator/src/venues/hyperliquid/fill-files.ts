import { appendFile, mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Clock, HOUR_MS, MINUTE_MS } from '@crosstape/core';
import { compressLz4 } from '../../lz4.ts';
import { blockAt } from '../../market/blocks.ts';
import type { Market } from '../../market/market.ts';
import { type TradeRow, TradeRows } from '../../market/trade-rows.ts';
import { yieldToEventLoop } from '../../yield-to-event-loop.ts';
import { printFill } from './fills.ts';
import { TradePrinter } from './print.ts';

const SECOND_MS = 1_000;
/** A block is written once it is this old, as by a node that has to receive it first. */
const BEHIND_MS = 500;

/**
 * The fills of all accounts as a node writes them with `--write-fills --batch-by-block`: one JSON line per block, one
 * file per hour, both sides of each trade. Whole hours are published as LZ4 files with the same lines:
 * `node_fills_by_block/hourly/{YYYYMMDD}/{H}.lz4`.
 */
export class FillFiles {
  readonly #market: Market;
  readonly #folder: string;
  readonly #rows: TradeRows;
  readonly #printer: TradePrinter;

  constructor(market: Market, folder: string) {
    this.#market = market;
    this.#folder = folder;
    this.#rows = new TradeRows(market);
    this.#printer = new TradePrinter(market.seed);
  }

  /** Writes the hours from `fromMs` to `toMs`, both full hours, compressed. */
  async writeHours(fromMs: number, toMs: number): Promise<void> {
    for (let hourMs = fromMs; hourMs < toMs; hourMs += HOUR_MS) {
      const path = `${this.pathOf(hourMs)}.lz4`;
      await mkdir(dirname(path), { recursive: true });
      await writeFile(`${path}.tmp`, '');
      for (let atMs = hourMs; atMs < hourMs + HOUR_MS; atMs += MINUTE_MS) {
        const lines = this.#lines(atMs, atMs + MINUTE_MS);
        // Frames may follow one another in a file; one a minute keeps the memory of an hour low.
        if (lines !== '') await appendFile(`${path}.tmp`, compressLz4(Buffer.from(lines)));
        await yieldToEventLoop();
      }
      await rename(`${path}.tmp`, path);
    }
  }

  /** Writes the current hour from its beginning, and then blocks as they are made; `close` writes the last ones. */
  follow(clock: Clock, onError: (error: Error) => void): { close(): Promise<void> } {
    let writtenMs = Math.floor(clock.now() / HOUR_MS) * HOUR_MS;
    let writing = Promise.resolve();
    const writeUpTo = async (untilMs: number): Promise<void> => {
      while (writtenMs < untilMs) {
        const hourMs = Math.floor(writtenMs / HOUR_MS) * HOUR_MS;
        const toMs = Math.min(untilMs, writtenMs + MINUTE_MS, hourMs + HOUR_MS);
        const path = this.pathOf(hourMs);
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, this.#lines(writtenMs, toMs), { flag: writtenMs === hourMs ? 'w' : 'a' });
        writtenMs = toMs;
        await yieldToEventLoop();
      }
    };
    const write = (): void => {
      writing = writing.then(() => writeUpTo(clock.now() - BEHIND_MS)).catch(onError);
    };
    write();
    const timer = clock.every(SECOND_MS, write);
    return {
      close: async () => {
        timer.cancel();
        write();
        await writing;
      },
    };
  }

  /** Without its ending. */
  pathOf(hourMs: number): string {
    const [day = '', time = ''] = new Date(hourMs).toISOString().split('T');
    const hour = String(Number(time.slice(0, 2)));
    return join(this.#folder, 'node_fills_by_block/hourly', day.replaceAll('-', ''), hour);
  }

  #lines(fromMs: number, toMs: number): string {
    const rows = this.#market.coins.flatMap((coin) =>
      coin.isDelisted ? [] : this.#rows.read(coin, fromMs, toMs),
    );
    rows.sort((a, b) => a.ts - b.ts);
    let text = '';
    for (let i = 0; i < rows.length; ) {
      const first = rows[i] as TradeRow;
      let end = i + 1;
      while (rows[end]?.ts === first.ts) end += 1;
      text += `${this.#block(rows.slice(i, end))}\n`;
      i = end;
    }
    return text;
  }

  #block(rows: readonly TradeRow[]): string {
    const ts = rows[0]?.ts ?? 0;
    const time = `${new Date(ts).toISOString().slice(0, -1)}000000`;
    const events = rows.flatMap((row) => {
      const [taker, maker] = [this.#printer.taker(row.taker), this.#printer.maker(row.maker)];
      const print = (isTaker: boolean): unknown => printFill(this.#market, this.#printer, row, isTaker);
      return [
        [taker, print(true)],
        [maker, print(false)],
      ];
    });
    return JSON.stringify({
      local_time: time,
      block_time: time,
      block_number: blockAt(this.#market.seed, ts),
      events,
    });
  }
}

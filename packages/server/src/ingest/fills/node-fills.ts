import { watch } from 'node:fs';
import { dirname } from 'node:path';
import { type Clock, HOUR_MS, type Timer, type VenueLiquidation, type VenueTrade } from '@crosstape/core';
import { type FillBlock, fillBlockMs, Malformed, parseFillBlock } from '@crosstape/venues';
import type { Log } from '../../platform/log.ts';
import type { FeedSink, SocketChange } from '../feed-sink.ts';
import type { SourceMeter } from '../venue-health.ts';
import { FillTail } from './fill-tail.ts';

/** Files are polled at least this often, even if the system reports no change. */
const POLL_MS = 1_000;
/**
 * Blocks that are older when they are read are left out while the service runs, and the source is stale: the tape
 * remembers for a minute which trades it has from the sockets, and would record older ones twice.
 */
const BEHIND_MAX_MS = 45_000;
/** All coins together never trade this rarely: where blocks are further apart, some are missing. */
const SILENT_MAX_MS = 60_000;
/** How far back missed fills are read at the start. */
const CATCH_UP_MAX_MS = 6 * HOUR_MS;
/** A newest block of this age is the present: nodes write in steps. */
const CAUGHT_UP_MS = 10_000;
/** The directory as one of the sockets of the feed; theirs count from 0. */
const SOCKET = -1;

interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** Receives the trades of the directory. */
export interface FillSink {
  /** Trades that were made while the service was not running, oldest first. */
  past(trades: readonly VenueTrade[]): Promise<void>;
  /** Everything up to a time was read, except in these stretches. */
  caughtUp(toMs: number, missing: readonly Stretch[]): void;
  /** Receives live events, as from a socket. */
  readonly receive: FeedSink;
}

export interface NodeFillsOptions {
  readonly venue: string;
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Receives measured liquidations, and when they are complete. */
  readonly liquidations: FeedSink;
}

/** Follows the fills that a node of the venue writes: trades with their takers, and measured liquidations. */
export class NodeFills {
  readonly #options: NodeFillsOptions;
  #sink: FillSink | undefined;
  #tail: FillTail | undefined;
  #meter: SourceMeter | undefined;
  #timer: Timer | undefined;
  #watcher: { readonly folder: string; close(): void } | undefined;
  #reading: Promise<void> = Promise.resolve();
  #isReading = false;
  #isWanted = false;
  #isStopped = false;
  #isUp = false;
  /** Why the last reading failed: the same is logged once. */
  #failure: string | undefined;
  /** Time of the newest block that was read. */
  #newestMs = 0;
  /** Since when and until when liquidations are measured. */
  #measured: Stretch = { from: Number.POSITIVE_INFINITY, to: Number.POSITIVE_INFINITY };

  constructor(options: NodeFillsOptions) {
    this.#options = options;
  }

  /** Whether liquidations of a time are reported by the node, so that none are inferred. */
  isMeasured(ts: number): boolean {
    return ts >= this.#measured.from && ts < this.#measured.to;
  }

  /** Reports its health from now on. */
  reportTo(meter: SourceMeter): void {
    this.#meter = meter;
    this.#turn(this.#isUp ? undefined : 'No block has been read yet.');
  }

  /** Reads fills since a time, if given, and then follows. Resolves once it follows. */
  async start(sinceMs: number | undefined, sink: FillSink): Promise<void> {
    const nowMs = this.#options.clock.now();
    const fromMs = Math.max(sinceMs ?? nowMs - BEHIND_MAX_MS, nowMs - CATCH_UP_MAX_MS);
    this.#sink = sink;
    this.#newestMs = fromMs;
    this.#tail = new FillTail({
      folder: this.#options.folder,
      hourMs: Math.floor(fromMs / HOUR_MS) * HOUR_MS,
    });
    if (sinceMs !== undefined) {
      this.#isReading = true;
      this.#reading = this.#catchUp(this.#tail, sink, { from: sinceMs, to: fromMs }).catch(this.#failed);
      await this.#reading;
      this.#isReading = false;
    }
    if (this.#isStopped) return;
    this.#timer = this.#options.clock.every(POLL_MS, () => this.#read());
    this.#read();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    this.#watcher?.close();
    await this.#reading;
    this.#goDown();
  }

  /** `skipped`: fills that are too old. */
  async #catchUp(tail: FillTail, sink: FillSink, skipped: Stretch): Promise<void> {
    const { clock } = this.#options;
    const fromMs = skipped.to;
    const missing = skipped.from < skipped.to ? [skipped] : [];
    let isBroken = false;
    this.#measured = { from: fromMs, to: Number.POSITIVE_INFINITY };
    let readMs: number;
    do {
      readMs = this.#newestMs;
      for await (const lines of tail.read(clock.now())) {
        if (this.#isStopped) return;
        const trades: VenueTrade[] = [];
        const liquidations: VenueLiquidation[] = [];
        for (const line of lines) {
          const atMs = fillBlockMs(line);
          if (line === '' || (atMs !== undefined && atMs < this.#newestMs)) continue;
          const block = this.#parse(line);
          trades.push(...block.trades);
          liquidations.push(...block.liquidations);
          const isWhole = block.refused.length === 0 && atMs !== undefined;
          if (isWhole && (isBroken || atMs - this.#newestMs > SILENT_MAX_MS))
            missing.push({ from: this.#newestMs, to: atMs });
          isBroken = !isWhole;
          if (isWhole) this.#newestMs = atMs;
        }
        await sink.past(trades);
        this.#sendLiquidations(liquidations, true);
      }
      // Fills written while others were read are read as well.
    } while (this.#newestMs > readMs && clock.now() - this.#newestMs > CAUGHT_UP_MS);
    if (this.#newestMs === fromMs) {
      this.#measured = { from: fromMs, to: fromMs };
      return;
    }
    sink.caughtUp(this.#newestMs, missing);
    this.#bridge(skipped.from, missing);
    if (clock.now() - this.#newestMs <= BEHIND_MAX_MS) this.#goUp(this.#newestMs);
    else this.#measured = { from: fromMs, to: this.#newestMs };
  }

  /** Liquidations are complete where blocks are. */
  #bridge(fromMs: number, missing: readonly Stretch[]): void {
    const { venue, liquidations } = this.#options;
    let from = fromMs;
    for (const gap of [...missing, { from: this.#newestMs, to: this.#newestMs }]) {
      if (from < gap.from)
        liquidations({ type: 'bridged', venue, feed: 'liquidations', fromMs: from, toMs: gap.from });
      from = gap.to;
    }
  }

  /** One reading at a time; if something is written meanwhile, another follows. */
  #read(): void {
    this.#isWanted = true;
    if (this.#isReading || this.#isStopped) return;
    this.#isReading = true;
    this.#reading = this.#readWanted()
      .catch(this.#failed)
      .finally(() => {
        this.#isReading = false;
      });
  }

  async #readWanted(): Promise<void> {
    while (this.#isWanted && !this.#isStopped) {
      this.#isWanted = false;
      await this.#readNew();
    }
  }

  async #readNew(): Promise<void> {
    const { clock, folder } = this.#options;
    if (!this.#tail) return;
    for await (const lines of this.#tail.read(clock.now())) {
      if (this.#isStopped) return;
      this.#receive(lines);
    }
    this.#failure = undefined;
    const { path } = this.#tail;
    if (path !== undefined) this.#watch(dirname(path));
    const behindMs = clock.now() - this.#newestMs;
    if (this.#isUp && behindMs <= BEHIND_MAX_MS) return;
    this.#goDown();
    this.#turn(
      path === undefined
        ? `There are no fills of this hour in ${folder}.`
        : `The newest block is ${Math.round(behindMs / 1_000)} s old.`,
    );
  }

  #receive(lines: readonly string[]): void {
    const { clock, venue } = this.#options;
    const nowMs = clock.now();
    const coins = new Map<string, VenueTrade[]>();
    const liquidations: VenueLiquidation[] = [];
    for (const line of lines) {
      const atMs = fillBlockMs(line);
      // A file that is written again from its beginning repeats earlier lines.
      if (line === '' || (atMs !== undefined && atMs < this.#newestMs)) continue;
      if (atMs !== undefined && atMs < nowMs - BEHIND_MAX_MS) {
        this.#goDown();
        this.#newestMs = atMs;
        continue;
      }
      const block = this.#parse(line);
      if (block.refused.length > 0 || atMs === undefined)
        this.#sink?.receive({ type: 'refused', venue, feed: 'trades', socket: SOCKET, atMs: nowMs });
      if (atMs === undefined) continue;
      if (!this.#isUp) this.#goUp(atMs);
      this.#newestMs = atMs;
      for (const trade of block.trades) {
        const trades = coins.get(trade.coin);
        if (trades) trades.push(trade);
        else coins.set(trade.coin, [trade]);
      }
      liquidations.push(...block.liquidations);
    }
    for (const trades of coins.values()) {
      const frame = { kind: 'trades', trades, isBackfill: false } as const;
      const name = { venue, feed: 'trades', socket: SOCKET };
      this.#sink?.receive({ type: 'frame', ...name, frame, receivedAtMs: nowMs });
    }
    this.#sendLiquidations(liquidations, false);
    if (this.#isUp) this.#meter?.countGood(this.#newestMs);
  }

  /** A line that cannot be parsed is a block without trades, with the reason. */
  #parse(line: string): FillBlock {
    let block: FillBlock;
    try {
      block = parseFillBlock(line);
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      block = { trades: [], liquidations: [], refused: [error.message] };
    }
    for (const why of block.refused) this.#meter?.countRefused(why);
    return block;
  }

  #sendLiquidations(liquidations: readonly VenueLiquidation[], isBackfill: boolean): void {
    if (liquidations.length === 0) return;
    const { venue, clock } = this.#options;
    const frame = { kind: 'liquidations', liquidations, isBackfill } as const;
    const name = { venue, feed: 'liquidations', socket: SOCKET };
    this.#options.liquidations({ type: 'frame', ...name, frame, receivedAtMs: clock.now() });
  }

  #goUp(atMs: number): void {
    this.#isUp = true;
    const { from, to } = this.#measured;
    this.#measured = { from: to >= atMs && from <= atMs ? from : atMs, to: Number.POSITIVE_INFINITY };
    this.#change('up', atMs);
    this.#turn(undefined);
  }

  #goDown(): void {
    if (!this.#isUp) return;
    this.#isUp = false;
    this.#measured = { ...this.#measured, to: this.#newestMs };
    this.#change('down', this.#newestMs);
  }

  #change(kind: SocketChange['kind'], ms: number): void {
    const { venue, clock, liquidations } = this.#options;
    const atMs = kind === 'up' ? ms : clock.now();
    const lastData = kind === 'down' ? { lastDataMs: ms } : {};
    this.#sink?.receive({ type: 'socket', venue, feed: 'trades', socket: SOCKET, kind, atMs, ...lastData });
    liquidations({ type: 'feed', venue, feed: 'liquidations', kind, atMs, lastReceivedMs: ms });
  }

  #turn(problem: string | undefined): void {
    if (problem === undefined) this.#meter?.turn('ok');
    else this.#meter?.turn('down', problem);
  }

  readonly #failed = (error: unknown): void => {
    const { message } = error as Error;
    this.#goDown();
    // Reading may have failed before it was up: from here on liquidations are inferred.
    this.#measured = { ...this.#measured, to: Math.min(this.#measured.to, this.#newestMs) };
    this.#turn(`The fills cannot be read: ${message}`);
    if (message !== this.#failure)
      this.#options.log.warn({ err: error }, 'the fills of the node cannot be read');
    this.#failure = message;
  };

  /** Reads changes of a folder at once. If the system cannot report changes, polling remains. */
  #watch(folder: string): void {
    if (this.#watcher?.folder === folder) return;
    this.#watcher?.close();
    this.#watcher = undefined;
    try {
      const handle = watch(folder, { persistent: false }, () => this.#read());
      handle.on('error', () => handle.close());
      this.#watcher = { folder, close: () => handle.close() };
    } catch (error) {
      this.#options.log.warn({ err: error, folder }, 'the system does not report changes of the folder');
      this.#watcher = { folder, close: () => undefined };
    }
  }
}

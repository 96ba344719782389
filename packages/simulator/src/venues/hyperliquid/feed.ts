import type { Clock } from '@crosstape/core';
import type { FaultBoard } from '../../fault-board.ts';
import { mangleTrades } from '../../mangle.ts';
import type { Market } from '../../market/market.ts';
import type { MinuteBars } from '../../market/minute-bars.ts';
import type { TradeRow, TradeRows } from '../../market/trade-rows.ts';
import { printOpenCandle } from './candles.ts';
import { type FastContexts, fastChanges, fastContexts, packFast, periodMs, printState } from './frames.ts';
import { RECENT_TRADES } from './info.ts';
import type { TradePrinter } from './print.ts';
import {
  type CandleSubscription,
  type StateSubscription,
  type Subscription,
  subscriptionKey,
} from './subscription.ts';

const VENUE = 'hyperliquid';
/** After a pause of the whole program longer than this, the blocks of the pause are skipped. */
const CATCH_UP_MAX_MS = 10_000;

/** A receiver of frames. */
export interface Member {
  send(frame: string): void;
}

interface Topic {
  readonly subscription: Subscription;
  readonly members: Set<Member>;
  /** Trades kept back to be sent after newer ones. */
  readonly held: Map<Member, readonly TradeRow[]>;
  dueMs: number;
  novelty: string | undefined;
  fast: FastContexts;
  /** Settles when all candles up to now are sent. */
  reported: Promise<void>;
}

export interface FeedOptions {
  readonly market: Market;
  readonly bars: MinuteBars;
  readonly rows: TradeRows;
  readonly printer: TradePrinter;
  readonly clock: Clock;
  readonly faults: FaultBoard;
}

/** Sends events to subscribers, block by block. A frame is made once per topic, for all receivers. */
export class Feed {
  readonly #options: FeedOptions;
  readonly #topics = new Map<string, Topic>();
  /** Everything before has been sent. */
  #sentMs: number;
  /** Time that was skipped because the program was blocked. */
  skippedMs = 0;

  constructor(options: FeedOptions) {
    this.#options = options;
    this.#sentMs = options.clock.now() + 1;
  }

  /** Adds a member and sends it the current state; `false` when it is one already. */
  join(member: Member, subscription: Subscription): boolean {
    const key = subscriptionKey(subscription);
    let topic = this.#topics.get(key);
    if (!topic) {
      const dueMs = this.#options.clock.now() + periodMs(subscription);
      topic = {
        subscription,
        members: new Set(),
        held: new Map(),
        dueMs,
        novelty: undefined,
        fast: {},
        reported: Promise.resolve(),
      };
      this.#topics.set(key, topic);
    }
    if (topic.members.has(member)) return false;
    topic.members.add(member);
    this.#greet(member, topic);
    return true;
  }

  leave(member: Member, subscription: Subscription): boolean {
    const key = subscriptionKey(subscription);
    const topic = this.#topics.get(key);
    if (!topic?.members.delete(member)) return false;
    topic.held.delete(member);
    if (topic.members.size === 0) this.#topics.delete(key);
    return true;
  }

  /** Sends everything that has happened since the last time. */
  tick(): void {
    const nowMs = this.#options.clock.now();
    const oldestMs = nowMs - CATCH_UP_MAX_MS;
    if (this.#sentMs < oldestMs) {
      this.skippedMs += oldestMs - this.#sentMs;
      this.#sentMs = oldestMs;
    }
    for (const topic of this.#topics.values()) {
      if (topic.subscription.type === 'trades') this.#sendTrades(topic, nowMs + 1);
      else if (nowMs >= topic.dueMs) {
        topic.dueMs = nowMs + periodMs(topic.subscription);
        this.#emit(topic);
      }
    }
    this.#sentMs = nowMs + 1;
  }

  #greet(member: Member, topic: Topic): void {
    const { market, rows, printer } = this.#options;
    const { subscription } = topic;
    const moment = this.#moment();
    switch (subscription.type) {
      case 'trades': {
        const recent = rows.recent(subscription.coin, this.#sentMs - 1, RECENT_TRADES);
        member.send(
          frame(
            'trades',
            recent.map((row) => printer.print(row, moment.skewMs)),
          ),
        );
        return;
      }
      case 'fastAssetCtxs':
        topic.fast = fastContexts(market, moment.nowMs);
        member.send(frame('fastAssetCtxs', packFast(topic.fast)));
        return;
      case 'candle':
        this.#queueCandle(topic, subscription, member);
        return;
      default:
        member.send(frame(subscription.type, printState(subscription, market, moment).data));
    }
  }

  #emit(topic: Topic): void {
    const { subscription } = topic;
    if (subscription.type === 'candle') this.#queueCandle(topic, subscription);
    else if (subscription.type === 'fastAssetCtxs') this.#sendFast(topic);
    else if (subscription.type !== 'trades') this.#sendState(topic, subscription);
  }

  #sendState(topic: Topic, subscription: StateSubscription): void {
    const { data, novelty } = printState(subscription, this.#options.market, this.#moment());
    if (novelty !== undefined) {
      const seen = JSON.stringify(novelty);
      if (seen === topic.novelty) return;
      topic.novelty = seen;
    }
    const text = frame(subscription.type, data);
    for (const member of topic.members) member.send(text);
  }

  #sendFast(topic: Topic): void {
    const now = fastContexts(this.#options.market, this.#options.clock.now());
    const changes = fastChanges(topic.fast, now);
    topic.fast = now;
    if (Object.keys(changes).length === 0) return;
    const text = frame('fastAssetCtxs', packFast(changes));
    for (const member of topic.members) member.send(text);
  }

  /** A long candle takes time to compute; its frame follows when it is ready, after earlier ones. */
  #queueCandle(topic: Topic, subscription: CandleSubscription, newcomer?: Member): void {
    const nowMs = this.#options.clock.now();
    topic.reported = topic.reported.then(() => this.#sendCandle(topic, subscription, nowMs, newcomer));
  }

  async #sendCandle(
    topic: Topic,
    { coin, interval }: CandleSubscription,
    nowMs: number,
    newcomer?: Member,
  ): Promise<void> {
    const candle = await printOpenCandle(this.#options.bars, coin, { interval, nowMs });
    if (!candle) return;
    const text = frame('candle', candle);
    if (newcomer) return newcomer.send(text);
    if (text === topic.novelty) return;
    topic.novelty = text;
    for (const member of topic.members) member.send(text);
  }

  #sendTrades(topic: Topic, untilMs: number): void {
    if (topic.subscription.type !== 'trades') return;
    const rows = this.#options.rows.read(topic.subscription.coin, this.#sentMs, untilMs);
    for (const block of blocksOf(rows)) {
      const text = this.#options.faults.isQuiet ? this.#tradesFrame(block) : undefined;
      for (const member of topic.members) {
        if (text !== undefined && !topic.held.has(member)) member.send(text);
        else this.#sendTradesWithFaults(topic, member, block);
      }
    }
  }

  #sendTradesWithFaults(topic: Topic, member: Member, block: readonly TradeRow[]): void {
    const { faults } = this.#options;
    const reported = mangleTrades(block, { faults, venue: VENUE, part: 'ws' });
    const held = topic.held.get(member);
    topic.held.delete(member);
    const isReordered = faults.strike({ venue: VENUE, part: 'ws' }, 'reorder') !== undefined;
    if (isReordered && !held) {
      topic.held.set(member, reported);
      return;
    }
    for (const rows of isReordered ? [reported, held] : [held, reported]) {
      if (rows && rows.length > 0) member.send(this.#tradesFrame(rows));
    }
  }

  #tradesFrame(rows: readonly TradeRow[]): string {
    const { skewMs } = this.#moment();
    return frame(
      'trades',
      rows.map((row) => this.#options.printer.print(row, skewMs)),
    );
  }

  #moment(): { readonly nowMs: number; readonly skewMs: number } {
    const { clock, faults } = this.#options;
    return { nowMs: clock.now(), skewMs: faults.strike({ venue: VENUE, part: 'ws' }, 'skew')?.skewMs ?? 0 };
  }
}

function frame(channel: string, data: unknown): string {
  return JSON.stringify({ channel, data });
}

/** The trades of each block apart. */
function blocksOf(rows: readonly TradeRow[]): TradeRow[][] {
  const blocks: TradeRow[][] = [];
  for (const row of rows) {
    const last = blocks.at(-1);
    if (last?.[0]?.ts === row.ts) last.push(row);
    else blocks.push([row]);
  }
  return blocks;
}

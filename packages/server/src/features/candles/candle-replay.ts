import { type Candle, candleIntervalsMs, type Clock, intervalStart } from '@crosstape/core';
import type { Backfill, BackfillTarget } from '../../gateway/backfill.ts';
import { type TopicRequest, marketOf, type TopicName, type Update } from '../../gateway/gateway-channel.ts';
import { encodeMessage } from '../../gateway/wire-frame.ts';
import { Failure } from '../../platform/errors.ts';
import type { CandleLength } from '../tape/channels/bar-interval.ts';
import { candlePayload } from '../tape/channels/candles.ts';
import { keepsUp } from '../tape/trade-backfill.ts';
import type { CandleMarket, CandleReader } from './candle-reader.ts';

/** Most candles that a subscription begins with: older ones are read with `/candles`. */
const CANDLES_MAX = 1_000;
/** Candles sent before the client must have read them: less than the room for a state. */
const SLICE = 128;
/** Slices, and reads that a new candle made useless. */
const ROUNDS_MAX = 100;

export interface CandleReplayOptions {
  readonly clock: Clock;
  readonly candles: CandleReader;
  readonly marketOf: (name: TopicName) => CandleMarket;
}

/** Recorded candles that a subscription to `candles` can begin with. */
export function createCandleReplay(options: CandleReplayOptions): Backfill {
  return {
    async prepare(request, since, caller) {
      const replay = new CandleReplay({ ...options, caller }, request, since as number);
      await replay.check();
      return { replay: (target) => replay.run(target), release: () => undefined };
    },
  };
}

interface OneReplayOptions extends CandleReplayOptions {
  /** The caller that the work is scheduled for. */
  readonly caller: string;
}

class CandleReplay {
  readonly #options: OneReplayOptions;
  readonly #interval: CandleLength;
  readonly #intervalMs: number;
  readonly #market: CandleMarket;
  /** Start of the first candle that was not sent. */
  #next: number;
  /** `seq` of the last candle sent. */
  #seq: number | undefined;

  constructor(options: OneReplayOptions, request: TopicRequest, since: number) {
    const { interval } = request as TopicRequest<{ readonly interval: CandleLength }>;
    if (!isLedgerInterval(interval))
      throw new Failure('bad_request', 'Field `since` needs an `interval` of at least 1m.');
    this.#options = options;
    this.#interval = interval;
    this.#intervalMs = candleIntervalsMs[interval];
    this.#market = options.marketOf(request);
    this.#next = since;
    if (intervalStart(since, this.#intervalMs) !== since)
      throw new Failure('bad_request', `Field \`since\` must be the start of a candle of ${interval}.`);
  }

  /** Throws a `Failure` where candles would be missing. */
  async check(): Promise<void> {
    const { candles, tapeFrom = Infinity } = await this.#read();
    const { id } = this.#market;
    if (this.#next < intervalStart(tapeFrom, this.#intervalMs) && candles.length > 0)
      throw new Failure(
        'bad_request',
        `Field \`since\`: ${id} is recorded since ${tapeFrom}; read older candles with /candles.`,
      );
    if (candles.length > CANDLES_MAX)
      throw new Failure(
        'bad_request',
        `Field \`since\` is more than ${CANDLES_MAX} candles back; read older ones with /candles.`,
      );
  }

  async run(target: BackfillTarget): Promise<void> {
    const { clock } = this.#options;
    const { subscription } = target;
    const { topic } = subscription;
    const since = this.#next;
    await topic.source?.ready;
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      if (!(await keepsUp({ ...target, clock }))) return;
      const { candles } = await this.#read();
      const gaps = await this.#market.coverage.gaps(this.#market.symbol, since, clock.now());
      if (subscription.isOver) return;
      // Synchronous from here on, so that no candle closes in between.
      const openTs = openTsOf(topic.source?.snapshot?.());
      const newestTs = candles.at(-1)?.ts;
      // A candle that began while we read may not be the next one: the newest that was read is not final either.
      const isBehind = openTs !== undefined && openTs >= this.#next && openTs > (newestTs ?? -Infinity);
      const endTs = isBehind ? (newestTs ?? this.#next) : (openTs ?? Infinity);
      const closed = candles.filter(({ ts }) => ts < endTs);
      // Consecutive, whatever is published meanwhile: `caughtUp` has the one that it continues with.
      this.#seq ??= topic.seq - closed.length;
      this.#send(target, closed.slice(0, SLICE));
      if (isBehind || closed.length > SLICE) continue;
      const { channel, request, seq } = topic;
      const named = {
        channel: channel.name,
        symbol: request.symbol,
        ...marketOf(request),
        interval: this.#interval,
      };
      target.outbox.send(encodeMessage({ type: 'caughtUp', ...named, seq, gaps }, subscription.format));
      subscription.join();
      return;
    }
    target.onStall();
  }

  #read() {
    const { candles, caller } = this.#options;
    const to = Number.MAX_SAFE_INTEGER;
    return candles.read(this.#market, {
      intervalMs: this.#intervalMs,
      from: this.#next,
      to,
      limit: CANDLES_MAX + 1,
      caller,
    });
  }

  #send({ outbox, subscription }: BackfillTarget, candles: readonly Candle[]): void {
    const last = candles.at(-1);
    if (!last) return;
    const { topic } = subscription;
    const updates = candles.map((candle): Update => {
      const payload = candlePayload(candle, this.#interval, true);
      return { ts: payload.closeTs, payload };
    });
    const seq = this.#seq ?? topic.seq;
    outbox.send(topic.frames(updates, seq + 1, subscription.format), updates.length);
    this.#seq = seq + updates.length;
    this.#next = last.ts + this.#intervalMs;
  }
}

function isLedgerInterval(interval: string): interval is keyof typeof candleIntervalsMs {
  return Object.hasOwn(candleIntervalsMs, interval);
}

function openTsOf(state: Update | undefined): number | undefined {
  return (state?.payload as { readonly openTs: number } | undefined)?.openTs;
}

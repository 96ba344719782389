import type { Client, TickPage } from '@crosstape/client';
import { perpVenues } from '../format/venues.ts';
import type { MinuteOfMarket } from './minute-in-progress.ts';
import type { ReplayClock } from './replay-clock.ts';

/** A market of the record: its coin, and its id where it is not the primary venue's. */
export interface TapeName {
  readonly coin: string;
  readonly market?: string | undefined;
}

/** The trades and gaps of a market between two times. */
export interface RecordedWindow {
  readonly fromMs: number;
  /** Not included. */
  readonly toMs: number;
  readonly pages: readonly TickPage['ticks'][];
  readonly gaps: TickPage['gaps'];
}

/** As sent by the service: with its coverage state. */
type Gap = RecordedWindow['gaps'][number] & { readonly state?: string };

/** A gap of a tape that is followed. */
export interface TapeGap {
  readonly name: TapeName;
  readonly gap: Gap;
}

/** A follower of a tape. */
interface Follower {
  readonly name: TapeName;
  /** The last one that it reached. */
  gap?: Gap;
}

/** Something that counts a tape as followed. */
interface Following {
  /** Takes that it has reached a gap. */
  note(gap: Gap): void;
  leave(): void;
}

interface KeptWindow {
  readonly market: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly loaded: Promise<RecordedWindow>;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const SHORT_MS = 10 * MINUTE_MS;
/** At high speeds, so that each request lasts for half a minute of playing. */
const LONG_MS = 60 * MINUTE_MS;
const LONG_FROM_SPEED = 25;
/** Windows begin on multiples of this: one that begins with the past of a tape, which is as long, has its next trades too. */
const ALIGN_MS = 5 * MINUTE_MS;
/** Windows that are kept, of all markets: those in play, the next and the last ones of twenty markets. */
const WINDOWS_MAX = 60;
/** How many earlier windows a step back searches for a trade. */
const EARLIER_MAX = 3;
const PRIMARY = `${perpVenues[0]}:`;

/** How a market is read, however it was named: the primary venue's by its coin. */
export function tapeName(symbol: string, market?: string): TapeName {
  return market?.startsWith(PRIMARY) ? { coin: market.slice(PRIMARY.length) } : { coin: symbol, market };
}

/** Reads the record in windows, which everything that plays the same market shares, also after a jump. */
export class RecordedWindows {
  /** The live service. */
  readonly client: Client;
  /** Clock of the current replay. */
  clock: ReplayClock;
  /** The least recently used first. */
  readonly #kept: KeptWindow[] = [];
  readonly #followed = new Set<Follower>();

  constructor(client: Client, clock: ReplayClock) {
    this.client = client;
    this.clock = clock;
  }

  /** Counts a tape as followed until it is left; its gaps are forgotten then. */
  follow(name: TapeName): Following {
    const own: Follower = { name };
    this.#followed.add(own);
    return {
      note: (gap) => {
        // Trades that the venue sent again are on the tape.
        if (gap.state !== 'refilled') own.gap = gap;
      },
      leave: () => this.#followed.delete(own),
    };
  }

  /** How many tapes are followed. */
  get tapes(): number {
    return this.#names().size;
  }

  /** The gap that each tape reached last, of those that reached one. */
  gaps(): readonly TapeGap[] {
    const found = new Map<string, TapeGap>();
    for (const { name, gap } of this.#followed) {
      const known = found.get(keyOf(name));
      if (gap && !(known && known.gap.to >= gap.to)) found.set(keyOf(name), { name, gap });
    }
    return [...found.values()];
  }

  /** The window that contains a time, as far as it is on record. */
  load(name: TapeName, atMs: number): Promise<RecordedWindow> {
    const market = keyOf(name);
    const known = this.#kept.find((one) => one.market === market && one.fromMs <= atMs && atMs < one.toMs);
    if (known) {
      this.#remove(known);
      this.#kept.push(known);
      return known.loaded;
    }
    const { fromMs, toMs } = this.#rangeAt(market, atMs);
    if (toMs <= fromMs) return Promise.resolve({ fromMs, toMs: Math.max(atMs, toMs), pages: [], gaps: [] });
    const loaded = this.#load(name, fromMs, toMs);
    const kept = { market, fromMs, toMs, loaded };
    this.#kept.push(kept);
    // A failure is not kept: the next reader tries again.
    loaded.catch(() => this.#remove(kept));
    this.#kept.splice(0, this.#kept.length - WINDOWS_MAX);
    return loaded;
  }

  /** The trades between two times, window by window. */
  async *between(name: TapeName, fromMs: number, toMs: number): AsyncGenerator<TickPage, void> {
    for (let atMs = fromMs; atMs < toMs; ) {
      const { pages, gaps, toMs: endMs } = await this.load(name, atMs);
      for (const page of pages) {
        const ticks = cut(page, atMs, toMs);
        if (ticks.length > 0) yield { ticks, gaps };
      }
      if (endMs <= atMs) return;
      atMs = endMs;
    }
  }

  /** The record of a minute up to a time, with the gaps that the venue did not fill. */
  async minute(name: TapeName, minuteTs: number, nowMs: number): Promise<MinuteOfMarket> {
    const { gaps } = await this.load(name, minuteTs);
    const pages: TickPage['ticks'][] = [];
    for await (const { ticks } of this.between(name, minuteTs, nowMs + 1)) pages.push(ticks);
    return { pages, gaps: gaps.filter(({ state }: Gap) => state !== 'refilled') };
  }

  /** The newest trade before a time on the tapes that are followed, looked for in its window and a few before. */
  async before(beforeMs: number): Promise<number | undefined> {
    const found = await Promise.all(
      [...this.#names().values()].map(async (name) => {
        const window = await this.load(name, beforeMs - 1);
        return { name, fromMs: window.fromMs, ts: lastBefore(window, beforeMs) };
      }),
    );
    let newestTs = Math.max(...found.map(({ ts }) => ts));
    for (const { name, fromMs, ts } of found) {
      let [earlierMs, foundTs] = [fromMs, ts];
      // Not where another tape has a newer one.
      for (let i = 0; i < EARLIER_MAX && foundTs === -Infinity && earlierMs > newestTs; i += 1) {
        const window = await this.load(name, earlierMs - 1);
        [earlierMs, foundTs] = [window.fromMs, lastBefore(window, beforeMs)];
      }
      newestTs = Math.max(newestTs, foundTs);
    }
    return newestTs === -Infinity ? undefined : newestTs;
  }

  /**
   * Where a tape continues after a gap. A window reports a gap only up to its own end, so the coverage of the tape is
   * requested, of a day, then of longer and longer times, until its state differs from that of the gap. `undefined` if
   * it never does.
   */
  async endOfGap({ coin, market }: TapeName, gap: Gap): Promise<number | undefined> {
    const { state: gapState = 'missing' } = gap;
    for (let [from, spanMs] = [gap.to, DAY_MS]; from < this.clock.endMs; from += spanMs, spanMs *= 8) {
      const range = { from, to: from + spanMs };
      const { data } = await this.client.get('/coverage', { ...(market ? { market } : { coin }), ...range });
      const next = data.find(({ state }) => state !== gapState);
      if (next) return next.from;
    }
    return undefined;
  }

  /** The tapes that are followed, each once. */
  #names(): ReadonlyMap<string, TapeName> {
    return new Map([...this.#followed].map(({ name }) => [keyOf(name), name]));
  }

  /** The window to read for a time, without overlapping cached ones. */
  #rangeAt(market: string, atMs: number): { readonly fromMs: number; readonly toMs: number } {
    const lengthMs = this.clock.speed >= LONG_FROM_SPEED ? LONG_MS : SHORT_MS;
    const alignedMs = Math.floor(atMs / ALIGN_MS) * ALIGN_MS;
    const nextMs = (Math.floor(alignedMs / lengthMs) + 1) * lengthMs;
    const own = this.#kept.filter((one) => one.market === market);
    const endsMs = own.map(({ toMs }) => toMs).filter((ms) => ms <= atMs);
    const startsMs = own.map(({ fromMs }) => fromMs).filter((ms) => ms > atMs);
    const longMs = nextMs - alignedMs < SHORT_MS ? nextMs + lengthMs : nextMs;
    return {
      fromMs: Math.max(alignedMs, ...endsMs),
      toMs: Math.min(longMs, Math.floor(this.clock.endMs), ...startsMs),
    };
  }

  #remove(kept: KeptWindow): void {
    const at = this.#kept.indexOf(kept);
    if (at >= 0) this.#kept.splice(at, 1);
  }

  async #load({ coin, market }: TapeName, fromMs: number, toMs: number): Promise<RecordedWindow> {
    const pages: TickPage['ticks'][] = [];
    const gaps = new Map<number, TickPage['gaps'][number]>();
    for await (const page of this.client.ticks(coin, { start: fromMs, end: toMs, market })) {
      if (page.ticks.length > 0) pages.push(page.ticks);
      for (const gap of page.gaps) gaps.set(gap.from, gap);
    }
    return { fromMs, toMs, pages, gaps: [...gaps.values()].toSorted((a, b) => a.from - b.from) };
  }
}

function keyOf({ coin, market }: TapeName): string {
  return market ?? coin;
}

/** The newest trade of a window before a time; `-Infinity` if there is none. */
function lastBefore({ pages }: RecordedWindow, beforeMs: number): number {
  for (const { ts, length } of pages.toReversed()) {
    for (let i = length - 1; i >= 0; i -= 1) if (ts[i]! < beforeMs) return ts[i]!;
  }
  return -Infinity;
}

/** The trades from one time up to another, without copying them. */
function cut(ticks: TickPage['ticks'], fromMs: number, toMs: number): TickPage['ticks'] {
  let [from, to] = [0, ticks.length];
  while (from < to && ticks.ts[from]! < fromMs) from += 1;
  while (to > from && ticks.ts[to - 1]! >= toMs) to -= 1;
  const { ts, price, size, isBuy, sameOrder } = ticks;
  return {
    ...ticks,
    length: to - from,
    ts: ts.subarray(from, to),
    price: price.subarray(from, to),
    size: size.subarray(from, to),
    isBuy: isBuy.subarray(from, to),
    sameOrder: sameOrder.subarray(from, to),
  };
}

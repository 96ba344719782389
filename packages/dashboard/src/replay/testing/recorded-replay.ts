import { Client, type SocketItem, type TickPage, type Trade } from '@crosstape/client';
import { columnsOf } from '@crosstape/client/bars';
import { ManualClock } from '@crosstape/core';
import { recordedTrades } from '../recorded-trades.ts';
import { RecordedWindows, type TapeName } from '../recorded-windows.ts';
import { ReplayClock } from '../replay-clock.ts';
import { ReplayPlayer, type ReplayStatus } from '../replay-player.ts';

export const MINUTE_MS = 60_000;
/** The present, at a full hour. */
export const PRESENT_MS = 1_790_000_000_000 - (1_790_000_000_000 % 3_600_000);
export const START_MS = PRESENT_MS - 60 * MINUTE_MS;
export const name = { coin: 'BTC' };

export function trade(ts: number, price = 100): Trade {
  return { ts, price, size: 1, side: 'buy' };
}

/** A service whose record has these trades and gaps; it counts the pages that are read. */
class RecordedClient extends Client {
  readonly asked: string[] = [];
  readonly #trades: readonly Trade[];
  readonly #gaps: TickPage['gaps'];
  readonly #others = new Map<string, readonly Trade[]>();
  readonly #othersGaps = new Map<string, TickPage['gaps']>();

  constructor(trades: readonly Trade[], gaps: TickPage['gaps'] = []) {
    super({ url: 'http://service' });
    this.#trades = trades;
    this.#gaps = gaps;
  }

  ofMarket(market: string, trades: readonly Trade[], gaps?: TickPage['gaps']): void {
    this.#others.set(market, trades);
    if (gaps) this.#othersGaps.set(market, gaps);
  }

  override async *ticks(
    ...[, { start = 0, end = Infinity, market = '' } = {}]: Parameters<Client['ticks']>
  ): AsyncGenerator<TickPage, void> {
    this.asked.push(`${(start - START_MS) / MINUTE_MS} to ${(end - START_MS) / MINUTE_MS}`);
    await Promise.resolve();
    const within = (this.#others.get(market) ?? this.#trades).filter(({ ts }) => ts >= start && ts < end);
    const known = this.#othersGaps.get(market) ?? this.#gaps;
    const gaps = known.filter(({ from, to }) => from < end && to > start);
    yield { ticks: columnsOf(within), gaps };
  }
}

/** A replay of a record with these trades and gaps, and a player of it. */
export function open(
  trades: readonly Trade[],
  { startMs = START_MS, speed = 1, gaps = [] as TickPage['gaps'] } = {},
) {
  const system = new ManualClock(PRESENT_MS);
  const clock = new ReplayClock(system, { startMs, speed });
  const client = new RecordedClient(trades, gaps);
  const windows = new RecordedWindows(client, clock);
  const statuses: ReplayStatus[] = [];
  const jumps: number[] = [];
  const player = new ReplayPlayer({
    system,
    clock,
    windows,
    send: (status) => statuses.push(status),
    onJump: (toMs) => jumps.push(toMs),
  });
  const ending = new AbortController();
  const items: SocketItem<'trades'>[] = [];
  /** Follows the tape into `items`, as a panel does. */
  const follow = (
    since = { ts: startMs, count: 0 },
    tape: TapeName = name,
    signal = ending.signal,
  ): Promise<void> => {
    const read = async (): Promise<void> => {
      for await (const batch of recordedTrades({
        clock,
        windows,
        name: tape,
        since,
        signal,
      })) {
        items.push(...batch.filter(({ type }) => type !== 'joined'));
      }
    };
    void read().catch(() => {});
    return clock.settled();
  };
  /** Lets time pass tick by tick, as the timers of a browser do. */
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= 50) {
      system.advance(Math.min(50, left));
      await clock.settled();
    }
  };
  const times = (): number[] =>
    items.map((item) => ('from' in item ? item.from : 'ts' in item ? item.ts : 0));
  return { system, clock, client, windows, player, follow, pass, items, times, statuses, jumps, ending };
}

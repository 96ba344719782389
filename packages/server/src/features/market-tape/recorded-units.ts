import { type Market, unitsOf } from '@crosstape/core';
import type { Log } from '../../platform/log.ts';

/** Changes of a unit that are remembered; of more, the oldest are not. */
const CHANGES_MAX = 1_000;

/** The markets of a venue that are or were recorded, by symbol, with the units of their trades. */
export class RecordedUnits {
  readonly #log: Log;
  readonly #markets = new Map<string, Market>();

  constructor(log: Log) {
    this.#log = log;
  }

  get(symbol: string): Market | undefined {
    return this.#markets.get(symbol);
  }

  restore(market: Market): void {
    this.#markets.set(market.symbol, market);
  }

  /** A listed market; its recorded trades, the last of them at `lastTs`, keep their unit. */
  joined(market: Market, lastTs: number): Market {
    const before = this.#markets.get(market.symbol);
    if (!before) return market;
    const isSameCoin = before.coin === market.coin;
    // The scale of another coin is that of all trades: it is ours that was changed, not the venue's unit.
    const { scale } = isSameCoin ? before : market;
    const isSame = before.contractSize === market.contractSize && scale === market.scale;
    const changed = isSame ? [] : [{ contractSize: before.contractSize, scale, untilMs: lastTs + 1 }];
    const kept = before.unitsBefore?.map((units) => (isSameCoin ? units : { ...units, scale })) ?? [];
    const unitsBefore = [...kept, ...changed].slice(-CHANGES_MAX);
    return unitsBefore.length === 0 ? market : { ...market, unitsBefore };
  }

  /** Later trades count in the unit of a market as it was joined. */
  keep(market: Market): void {
    const before = this.#markets.get(market.symbol);
    this.#markets.set(market.symbol, market);
    if (market.unitsBefore?.at(-1)?.untilMs === before?.unitsBefore?.at(-1)?.untilMs) return;
    const { id, contractSize, scale } = market;
    this.#log.warn(
      { market: id, contractSize, scale, before: before && unitsOf(before) },
      'the venue changed the unit of a market; later trades use the new unit',
    );
  }

  /** Whether trades of two times are recorded in different units: then no chunk has both. */
  readonly isSplit = (symbol: string, lastTs: number, ts: number): boolean =>
    this.#markets.get(symbol)?.unitsBefore?.some(({ untilMs }) => lastTs < untilMs && untilMs <= ts) ?? false;
}

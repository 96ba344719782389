import { TradeColumns } from '@crosstape/simulator';
import type { World } from '../world.ts';

const COLUMNS_MAX = 200_000;

interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly state: string;
}

interface Listed {
  readonly ts: number;
  readonly tid: number;
}

export interface Missing {
  /** How many of the venue's trades are not on the tape. */
  readonly lost: number;
  /** Those of them that lie in time that `/coverage` does not call partial or missing. */
  readonly unreported: readonly Listed[];
  /** What `/coverage` calls partial or missing. */
  readonly gaps: readonly Stretch[];
}

/** The trades of the simulated market itself, whatever the venue sent of them. */
export function listTrades(world: World, coin: string, fromMs: number, toMs: number): readonly Listed[] {
  const columns = new TradeColumns(COLUMNS_MAX);
  const filledMs = world.simulator.market.fill(coin, fromMs, toMs, columns);
  if (filledMs !== toMs) throw new Error('too many trades for one comparison');
  return Array.from({ length: columns.length }, (_, i) => ({
    ts: columns.ts[i] as number,
    tid: columns.tid[i] as number,
  }));
}

/** Compares the recorded tape and its coverage with the venue's own list of trades. */
export async function missingTrades(
  world: World,
  coin: string,
  fromMs: number,
  toMs: number,
): Promise<Missing> {
  const taped = new Set<number>();
  for (let start: number | null = fromMs; start !== null; ) {
    const query = `coin=${coin}&start=${start}&end=${toMs + 60_000}&format=json`;
    const { body } = await world.json(`/perps/trades/history?${query}`);
    for (const { tid } of body.data) taped.add(tid as number);
    start = (body.meta['nextStart'] ?? null) as number | null;
  }
  const { body } = await world.json(`/coverage?coin=${coin}&from=${fromMs}&to=${toMs}`);
  const stretches = body.data as unknown as readonly Stretch[];
  const gaps = stretches.filter(({ state }) => state === 'partial' || state === 'missing');
  const lost = listTrades(world, coin, fromMs, toMs).filter(({ tid }) => !taped.has(tid));
  const unreported = lost.filter(({ ts }) => !gaps.some(({ from, to }) => from <= ts && ts < to));
  return { lost: lost.length, unreported, gaps };
}

import { traded, type Traded } from '../traded.ts';
import type { World } from '../world.ts';

interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly state: string;
}

export interface Missing {
  /** How many of the venue's trades are not on the tape. */
  readonly lost: number;
  /** Those of them that lie in time that `/coverage` does not call partial or missing. */
  readonly unreported: readonly Traded[];
  /** What `/coverage` calls partial or missing. */
  readonly gaps: readonly Stretch[];
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
  const lost = traded(world.simulator.market, coin, fromMs, toMs).filter(({ tid }) => !taped.has(tid));
  const unreported = lost.filter(({ ts }) => !gaps.some(({ from, to }) => from <= ts && ts < to));
  return { lost: lost.length, unreported, gaps };
}

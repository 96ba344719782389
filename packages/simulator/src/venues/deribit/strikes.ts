import { DAY_MS, roundTo } from '@crosstape/core';
import type { Expiry, Tenor } from './expiries.ts';

/** Maximum decimals of strikes. */
const DECIMALS = 6;

interface Ladder {
  /** Between strikes, as a share of spot. */
  readonly step: number;
  /** Their range either way, as a logarithm. */
  readonly reach: number;
  /** Spot is sampled every this many days, and strikes are added around it. */
  readonly everyDays: number;
}

const LADDERS: Readonly<Record<Tenor, Ladder>> = {
  day: { step: 0.005, reach: 0.17, everyDays: 1 },
  week: { step: 0.01, reach: 0.34, everyDays: 7 },
  month: { step: 0.02, reach: 0.55, everyDays: 7 },
  quarter: { step: 0.045, reach: 1.05, everyDays: 28 },
};

export interface Strikes {
  /** Spot when they were listed. */
  readonly listedAt: number;
  readonly step: number;
  /** Ascending. */
  readonly all: readonly number[];
}

/** The strikes of an expiry: a ladder around spot when it was listed, longer since by where spot has been. */
export function strikesOf(
  { listedMs, tenor }: Expiry,
  atMs: number,
  { coarseness, spotAt }: { readonly coarseness: number; readonly spotAt: (atMs: number) => number },
): Strikes {
  const ladder = LADDERS[tenor];
  const first = spotAt(listedMs);
  const step = roundStep(first * ladder.step * coarseness);
  const everyMs = ladder.everyDays * DAY_MS;
  let [low, high] = [first, first];
  // On days that all expiries share, so that each is looked up once.
  for (let day = Math.ceil(listedMs / everyMs); day * everyMs <= atMs; day += 1) {
    const spot = spotAt(day * everyMs);
    [low, high] = [Math.min(low, spot), Math.max(high, spot)];
  }
  const from = Math.max(1, Math.ceil((low * Math.exp(-ladder.reach)) / step));
  const to = Math.floor((high * Math.exp(ladder.reach)) / step);
  const all = Array.from({ length: to - from + 1 }, (_, i) => roundTo((from + i) * step, DECIMALS));
  return { listedAt: first, step, all };
}

/** The nearest of 1, 2 and 5 times a power of ten. */
function roundStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step));
  const figure = step / power;
  return roundTo((figure < 1.5 ? 1 : figure < 3.5 ? 2 : figure < 7.5 ? 5 : 10) * power, DECIMALS);
}

import type { TapeCoverage } from '../tape/tape-coverage.ts';
import type { TapeReader } from '../tape/tape-reader.ts';
import type { Bus } from '../../platform/bus.ts';
import type { Log } from '../../platform/log.ts';
import { TickBuffer } from '../tape/tick-buffer.ts';
import type { TickTable } from '../tape/tick-table.ts';
import type { BuildOrder } from './build-bars.ts';
import { type RotationSpec, windowOf } from './rotation-spec.ts';

export const UNREADABLE = 'the record cannot be read';
export const UNREADABLE_LOG = 'the record cannot be read for a build';
/** Trades of a degraded build. */
const RECENT_TRADES = 1_000;

export interface PrepareOptions {
  readonly bus: Bus;
  readonly log: Log;
  readonly ticks: TickTable;
  readonly tape: TapeReader;
  readonly coverage: TapeCoverage;
  /** Location of the store. */
  readonly folder: string;
}

/** The inputs of a build, or why it cannot be built. */
export type Prepared = { readonly isDegraded: boolean } & (
  | { readonly order: BuildOrder }
  | { readonly refused: string }
);

/** Checks the data of the window that ends now, and chooses between the record and the newest trades. */
export async function prepareBuild(
  spec: RotationSpec,
  nowMs: number,
  options: PrepareOptions,
): Promise<Prepared> {
  if (spec.degraded === true) return fromMemory(spec, options);
  const { log } = options;
  const found = await fromRecord(spec, nowMs, options).catch((error: unknown) => {
    log.error({ err: error, coin: spec.coin }, UNREADABLE_LOG);
    return UNREADABLE;
  });
  if (typeof found !== 'string') return { isDegraded: false, order: found };
  if (spec.degraded === null) return fromMemory(spec, options);
  return {
    isDegraded: false,
    refused: `Nothing can be built: ${found}, and a degraded build was refused.`,
  };
}

async function fromRecord(
  spec: RotationSpec,
  nowMs: number,
  { ticks, tape, coverage, folder }: PrepareOptions,
): Promise<BuildOrder | string> {
  const { coin, market, bars, days } = spec;
  const window = windowOf(spec, nowMs);
  const { fromTs, toTs } = window;
  const name = market?.symbol ?? coin;
  const tail = (await tape.unsealed(name)).columns;
  const [sealed] = await ticks.names(name, fromTs, toTs, 1);
  const isInTail = tail.ts.subarray(0, tail.length).some((ts) => ts >= fromTs && ts < toTs);
  const time = spec.window ? 'between `from` and `to`' : `in the last ${days} days`;
  if (!sealed && !isInTail) return `no trade of ${market?.id ?? coin} was recorded ${time}`;
  const gaps = await gapsIn(coverage, name, fromTs, toTs);
  return { folder, coin, ...(market && { market }), spec: bars, ...window, tail, gaps };
}

async function fromMemory(
  { coin, market, bars }: RotationSpec,
  { bus, tape, coverage }: PrepareOptions,
): Promise<Prepared> {
  const isDegraded = true;
  const name = market?.symbol ?? coin;
  const log = bus.log(tape.topicOf(name));
  const trades = log.read(Math.max(log.start, log.end - RECENT_TRADES), RECENT_TRADES);
  const [first, last] = [trades[0], trades.at(-1)];
  if (!first || !last) {
    return {
      isDegraded,
      refused: `Nothing can be built: no trade of ${market?.id ?? coin} has been received yet.`,
    };
  }
  const buffer = new TickBuffer();
  for (const trade of trades) buffer.add(trade);
  const window = { fromTs: first.ts, toTs: last.ts + 1 };
  // Without a store gaps are unknown.
  const gaps = await gapsIn(coverage, name, window.fromTs, window.toTs).catch(() => []);
  return {
    isDegraded,
    order: { coin, ...(market && { market }), spec: bars, ...window, tail: buffer.columns, gaps },
  };
}

/** Where trades are or may be missing; refilled gaps are complete. */
export async function gapsIn(
  coverage: TapeCoverage,
  coin: string,
  from: number,
  to: number,
): Promise<BuildOrder['gaps']> {
  const gaps = await coverage.gaps(coin, from, to);
  return gaps
    .filter(({ state }) => state !== 'refilled')
    .map((gap) => ({ from: gap.from, to: gap.to, reason: gap.reason }));
}

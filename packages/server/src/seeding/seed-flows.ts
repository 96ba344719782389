import {
  type Asset,
  decodeTicks,
  type EtfFlows,
  type FlowPoint,
  HOUR_MS,
  MINUTE_MS,
  type TickColumns,
} from '@crosstape/core';
import { createMarket, FlowView } from '@crosstape/simulator';
import { CoinReporter } from '../features/flows/coin-reporter.ts';
import type { FlowInputs, TapeReading } from '../features/flows/flow-figures.ts';
import { FlowMinutes } from '../features/flows/flow-minutes.ts';
import type { FlowFailures } from '../features/flows/flow-sources.ts';
import { etfAssets, etfSource, koreanSource } from '../features/flows/flow-inputs.ts';
import { TRADE_WINDOW_MS, TradeWindow } from '../features/flows/trade-window.ts';
import { spotVenueNames } from '../features/spot/spot-venues.ts';
import { fxSources } from '../features/rates/usd-krw.ts';
import type { Task } from '../platform/jobs.ts';
import type { SeedOrder } from './seed-order.ts';
import { throwIfGivenUp } from '../platform/thread-tasks.ts';
import { gunzipChunk } from '../features/tape/chunk-gzip.ts';
import { FlowTable } from '../features/flows/flow-table.ts';
import { openPlace } from '../cluster/open-place.ts';
import { TickTable } from '../features/tape/tick-table.ts';
import type { Snapshot } from '../topics.ts';

/** The last report of a minute counts: that of its last second. */
const LAST_REPORT_MS = 59_000;
/** A busy coin's hour has far fewer. */
const CHUNKS_PER_HOUR_MAX = 1_000;

const well: FlowFailures = { spot: [], korea: [], proxyTape: [], etf: [], primaryTape: [] };

/** The trades of the coin are already recorded. */
export interface SeedFlows extends SeedOrder {
  readonly coin: string;
}

/**
 * Records the flows of a coin as if they had been followed: the last report of every minute, computed from what the
 * simulated sources would have sent and from the trades on the tape. `worker.ts` exports the function.
 */
export const seedFlowsTask: Task<SeedFlows, { readonly points: number }> = { name: 'seedFlows' };

export async function seedFlows(options: SeedFlows): Promise<{ points: number }> {
  const { coin, venue: primaryVenue, fromMs, toMs } = options;
  const market = createMarket({ seed: options.seed, rate: options.rate, coins: options.coins });
  if (!market.coins.some(({ name }) => name === coin)) return { points: 0 };
  const view = new FlowView(market, coin);
  const store = await openPlace(options.folder);
  const points: FlowPoint[] = [];
  const minutes = new FlowMinutes({ primaryVenue, emit: (point) => points.push(point) });
  const reporter = new CoinReporter(coin, []);
  const [primary, proxy] = [new TradeWindow(), new TradeWindow()];
  try {
    const [ticks, flows] = [new TickTable(store), new FlowTable(store)];
    const tail = (await ticks.tail(coin)).map(({ columns }) => columns);
    for (let hourMs = Math.floor(fromMs / HOUR_MS) * HOUR_MS; hourMs < toMs; hourMs += HOUR_MS) {
      throwIfGivenUp();
      const forEachDeal = await dealsOfHour(ticks, tail, coin, hourMs);
      const etf = etfAt(view, coin, hourMs);
      for (let t = hourMs; t < hourMs + HOUR_MS; t += MINUTE_MS) {
        if (t < fromMs || t + MINUTE_MS > toMs) continue;
        const nowMs = t + LAST_REPORT_MS;
        forEachDeal(nowMs, (deal) => primary.add(deal, nowMs));
        view.proxyTrades(nowMs - MINUTE_MS + 1, nowMs + 1, (trade) => proxy.add(trade, nowMs));
        const isWhole = nowMs - fromMs >= TRADE_WINDOW_MS;
        const reading = (window: TradeWindow): TapeReading => ({
          ...window.sums(nowMs),
          isReceiving: true,
          isWhole,
        });
        const tapes = { proxyTape: reading(proxy), primaryTape: reading(primary) };
        minutes.add(reporter.report({ ...pricesAt(view, nowMs), ...tapes, etf }, () => well));
      }
    }
    // In one commit: an aborted start leaves either a week or nothing.
    await flows.append(points);
    return { points: points.length };
  } finally {
    await store.close();
  }
}

function pricesAt(view: FlowView, nowMs: number): Pick<FlowInputs, 'nowMs' | 'spots' | 'korea'> {
  const spotTickers = view.spotTickers(nowMs);
  const { tickers, books } = view.korea(nowMs);
  return {
    nowMs,
    spots: spotVenueNames.flatMap(({ venue, source }) => {
      const rows = spotTickers.get(source);
      return rows ? [{ venue, tickers: tableOf(source, rows, nowMs) }] : [];
    }),
    korea: {
      tickers: tableOf(koreanSource, tickers, nowMs),
      books: tableOf(koreanSource, books, nowMs),
      rates: fxSources.slice(0, 1).map((source) => tableOf(source, [view.usdKrw(nowMs)], nowMs)),
    },
  };
}

function etfAt(view: FlowView, coin: string, nowMs: number): FlowInputs['etf'] {
  const asset: Asset | undefined = etfAssets[coin];
  if (!asset) return undefined;
  const flows: Snapshot<EtfFlows> = tableOf(etfSource, [view.etfFlows(asset, nowMs)], nowMs);
  return { flows, isOk: true };
}

function tableOf<Row>(venue: string, rows: readonly Row[], fetchedAtMs: number): Snapshot<Row> {
  return { venue, rows, fetchedAtMs, everyMs: MINUTE_MS };
}

/** Returns trades up to a time, each once. */
type DealReader = (untilMs: number, onDeal: (deal: Parameters<TradeWindow['add']>[0]) => void) => void;

/** The recorded trades of an hour, which no chunk crosses; of the last hour also those in the tail. */
async function dealsOfHour(
  table: TickTable,
  tail: readonly TickColumns[],
  coin: string,
  hourMs: number,
): Promise<DealReader> {
  const toMs = hourMs + HOUR_MS;
  const chunks = await table.chunks(coin, hourMs, toMs, CHUNKS_PER_HOUR_MAX);
  const parts = [...chunks.map(({ data }) => decodeTicks(gunzipChunk(data))), ...tail];
  let part = 0;
  let row = 0;
  return (untilMs, onDeal) => {
    for (; part < parts.length; part += 1, row = 0) {
      const { length, ts, price, size, isBuy, sameOrder, priceDecimals, sizeDecimals } = parts[
        part
      ] as TickColumns;
      const scale = 10 ** (priceDecimals + sizeDecimals);
      for (; row < length; row += 1) {
        const at = ts[row] as number;
        if (at > untilMs) return;
        if (at < hourMs || at >= toMs) continue;
        onDeal({
          ts: at,
          side: isBuy[row] === 1 ? 'buy' : 'sell',
          notionalUsd: ((price[row] as number) * (size[row] as number)) / scale,
          sameOrder: sameOrder[row] === 1,
        });
      }
    }
  };
}

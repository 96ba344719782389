import { HOUR_MS } from '@crosstape/core';
import { type Fields, isFields, isWhole } from '../../json.ts';
import type { Coin } from '../../market/coins.ts';
import type { Market } from '../../market/market.ts';
import type { MinuteBars } from '../../market/minute-bars.ts';
import type { TradeRow, TradeRows } from '../../market/trade-rows.ts';
import { printBook, readGrain } from './books.ts';
import { isInterval, printCandles } from './candles.ts';
import { printContexts } from './contexts.ts';
import { printFills } from './fills.ts';
import { decimal, type TradePrinter } from './print.ts';
import { printSpotContexts, printSpotMeta, spotMids } from './spot.ts';
import { BUILDER_DEX, DEXES, listedCoin, printMeta, universeOf } from './universe.ts';

const DEPLOYER = `0x${'88806a71'.repeat(5)}`;

/**
 * [null, {"name":"xyz","fullName":"XYZ","deployer":"0x…","oracleUpdater":null,"feeRecipient":null,
 *         "assetToStreamingOiCap":[["xyz:XYZ100","100000000.0"]],"assetToFundingMultiplier":[["xyz:TSLA","0.5"]],…}]
 * The venue's own list is the `null` in front.
 */
function printPerpDexs(market: Market): unknown[] {
  const coins = universeOf(market, BUILDER_DEX);
  return [
    null,
    {
      name: BUILDER_DEX,
      fullName: BUILDER_DEX.toUpperCase(),
      deployer: DEPLOYER,
      oracleUpdater: null,
      feeRecipient: null,
      assetToStreamingOiCap: coins.map((coin) => [coin.name, decimal(coin.openInterestUsd * 2)]),
      subDeployers: [],
      deployerFeeScale: '1.0',
      lastDeployerFeeScaleChangeTime: '2026-01-01T00:00:00',
      assetToFundingMultiplier: coins.map((coin) => [coin.name, '1.0']),
      assetToFundingInterestRate: coins.map((coin) => [coin.name, '0.0001']),
    },
  ];
}

/** The venue keeps very few. */
export const RECENT_TRADES = 10;
const FUNDING_ROWS_MAX = 500;
/** A contract is at its cap when this much more than usual is open. */
const OPEN_INTEREST_CAP = 1.22;

/** Data behind the answers. */
export interface InfoSource {
  readonly market: Market;
  readonly bars: MinuteBars;
  readonly rows: TradeRows;
  readonly printer: TradePrinter;
  readonly nowMs: number;
  /** By which the venue's clock is wrong. */
  readonly skewMs: number;
  /** Trades after faults are applied. */
  readonly mangled: (rows: readonly TradeRow[]) => readonly TradeRow[];
}

/** A question that the venue cannot read. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

type Question = Fields;

interface InfoType {
  readonly weight: number;
  /** Rows of the answer that cost one unit of weight more. */
  readonly rowsPerWeight?: number;
  answer(question: Question, source: InfoSource): unknown;
}

/** Each kind of question, with its weight as published. */
const TYPES: Readonly<Record<string, InfoType>> = {
  meta: { weight: 20, answer: (question, { market }) => printMeta(market, dexOf(question)) },
  metaAndAssetCtxs: {
    weight: 20,
    answer(question, { market, nowMs }) {
      const dex = dexOf(question);
      return [printMeta(market, dex), printContexts(market, dex, nowMs)];
    },
  },
  allPerpMetas: { weight: 20, answer: (_, { market }) => DEXES.map((dex) => printMeta(market, dex)) },
  allMids: { weight: 2, answer: (question, { market, nowMs }) => printMids(market, dexOf(question), nowMs) },
  recentTrades: {
    weight: 20,
    rowsPerWeight: 20,
    answer(question, { market, rows, printer, nowMs, skewMs, mangled }) {
      const newestFirst = rows.recent(coinOf(question, market), nowMs, RECENT_TRADES).toReversed();
      return mangled(newestFirst).map((row) => printer.print(row, skewMs));
    },
  },
  fundingHistory: {
    weight: 20,
    rowsPerWeight: 20,
    answer(question, { market, nowMs }) {
      const coin = coinOf(question, market);
      return printFundingHistory(market, coin, timeOf(question, 'startTime'), endOf(question, nowMs));
    },
  },
  l2Book: {
    weight: 2,
    answer(question, { market, nowMs, skewMs }) {
      const grain = readGrain(question);
      if (typeof question['coin'] !== 'string' || !grain) throw new Unreadable();
      const coin = listedCoin(market, question['coin']);
      return coin ? printBook(market, coin, { atMs: nowMs, skewMs, grain }) : null;
    },
  },
  candleSnapshot: {
    weight: 20,
    rowsPerWeight: 60,
    answer(question, { market, bars, nowMs }) {
      const asked = question['req'];
      if (!isFields(asked)) throw new Unreadable();
      const { interval, ...rest } = asked;
      if (!isInterval(interval)) throw new Unreadable();
      const coin = coinOf(rest, market);
      const startMs = timeOf(rest, 'startTime');
      return printCandles(bars, coin, { interval, startMs, endMs: endOf(rest, nowMs), nowMs });
    },
  },
  predictedFundings: { weight: 20, answer: (_, { market, nowMs }) => printPredictedFundings(market, nowMs) },
  perpDexs: { weight: 20, answer: (_, { market }) => printPerpDexs(market) },
  perpsAtOpenInterestCap: {
    weight: 20,
    answer: (question, { market, nowMs }) =>
      tradedOn(market, dexOf(question))
        .filter((coin) => {
          const usual = coin.openInterestUsd / coin.price;
          return market.openInterest(coin.name, nowMs) > OPEN_INTEREST_CAP * usual;
        })
        .map((coin) => coin.name),
  },
  perpCategories: {
    weight: 20,
    answer: (_, { market }) =>
      market.coins.flatMap((coin) => (coin.category === undefined ? [] : [[coin.name, coin.category]])),
  },
  exchangeStatus: {
    weight: 2,
    answer: (_, { nowMs, skewMs }) => ({ time: nowMs + skewMs, specialStatuses: null }),
  },
  userFillsByTime: {
    weight: 20,
    rowsPerWeight: 20,
    answer(question, source) {
      const { user } = question;
      if (typeof user !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(user)) throw new Unreadable();
      const endMs = Math.min(endOf(question, source.nowMs), source.nowMs);
      return printFills(source, { user, startMs: timeOf(question, 'startTime'), endMs });
    },
  },
  spotMeta: { weight: 20, answer: () => printSpotMeta() },
  spotMetaAndAssetCtxs: {
    weight: 20,
    answer: (_, { market, nowMs }) => [printSpotMeta(), printSpotContexts(market, nowMs)],
  },
};

/** Parses a request; throws `Unreadable`. */
export function readQuestion(value: unknown): { readonly type: InfoType; readonly question: Question } {
  if (!isFields(value)) throw new Unreadable();
  const { type: name } = value;
  const type = typeof name === 'string' && Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
  if (!type) throw new Unreadable();
  return { type, question: value };
}

/** {"BTC":"80868.5","@142":"80907.5","PURR/USDC":"0.067131"} */
export function printMids(market: Market, dex: string, atMs: number): Record<string, string> {
  const mids = tradedOn(market, dex).map((coin) => [
    coin.name,
    decimal(market.quote(coin.name, atMs).mid, 7),
  ]);
  return { ...Object.fromEntries(mids), ...(dex === '' ? spotMids(market, atMs) : {}) };
}

/** [{"coin":"BTC","fundingRate":"0.0000125","premium":"0.00029005","time":1769908800000}], oldest first. */
function printFundingHistory(market: Market, coin: Coin, startMs: number, endMs: number): unknown[] {
  const rows: unknown[] = [];
  for (
    let hourMs = Math.ceil(startMs / HOUR_MS) * HOUR_MS;
    hourMs <= endMs && rows.length < FUNDING_ROWS_MAX;
    hourMs += HOUR_MS
  ) {
    const { rate, premium } = market.fundingPaid(coin.name, hourMs);
    rows.push({ coin: coin.name, fundingRate: decimal(rate), premium: decimal(premium), time: hourMs });
  }
  return rows;
}

/**
 * [["AVAX",[["BinPerp",{"fundingRate":"0.0001","nextFundingTime":1733961600000,"fundingIntervalHours":8}],
 *           ["HlPerp",{"fundingRate":"0.0000125","nextFundingTime":1733958000000,"fundingIntervalHours":1}],
 *           ["BybitPerp",null]]]]
 */
function printPredictedFundings(market: Market, nowMs: number): unknown[] {
  const next = (hours: number): number => (Math.floor(nowMs / HOUR_MS / hours) + 1) * hours * HOUR_MS;
  return tradedOn(market, '').map((coin) => {
    const { rate } = market.funding(coin.name, nowMs);
    const eightHours = { fundingRate: decimal(rate * 8), nextFundingTime: next(8), fundingIntervalHours: 8 };
    const venues = [
      ['BinPerp', eightHours],
      ['HlPerp', { fundingRate: decimal(rate), nextFundingTime: next(1), fundingIntervalHours: 1 }],
      ['BybitPerp', coin.openInterestUsd > 1e7 ? eightHours : null],
    ];
    return [coin.name, venues];
  });
}

function tradedOn(market: Market, dex: string): readonly Coin[] {
  return universeOf(market, dex).filter((coin) => !coin.isDelisted);
}

function dexOf({ dex = '' }: Question): string {
  if (typeof dex !== 'string' || !DEXES.includes(dex)) throw new Unreadable();
  return dex;
}

function coinOf({ coin }: Question, market: Market): Coin {
  const listed = listedCoin(market, coin);
  if (!listed) throw new Unreadable();
  return listed;
}

function timeOf(question: Question, name: string): number {
  const value = question[name];
  if (!isWhole(value, 0, Number.MAX_SAFE_INTEGER)) throw new Unreadable();
  return value;
}

/** The requested end, but not later than now. */
function endOf(question: Question, nowMs: number): number {
  return question['endTime'] === undefined || question['endTime'] === null
    ? nowMs
    : Math.min(nowMs, timeOf(question, 'endTime'));
}

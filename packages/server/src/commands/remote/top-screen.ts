import { plainText } from '../../platform/plain-text.ts';
import { printTable } from '../print-table.ts';

/** Known figures of a coin; unknown ones are absent. */
export interface TopCoin {
  readonly coin: string;
  /** Price of the last trade. */
  readonly last?: number;
  readonly mark?: number;
  readonly index?: number;
  readonly change24hPct?: number | null;
  /** Decimal fraction per hour. */
  readonly fundingHourly?: number;
  readonly oiUsd?: number;
  /** Time of the last trade. */
  readonly ts?: number;
}

export interface TopPrint {
  readonly ts: number;
  readonly coin: string;
  readonly side: 'buy' | 'sell';
  readonly price: number;
  readonly notionalUsd: number;
}

export interface TopView {
  readonly url: string;
  /** Sources of the figures. */
  readonly source: string;
  readonly nowMs: number;
  readonly coins: readonly TopCoin[];
  /** Newest first. */
  readonly prints: readonly TopPrint[];
  readonly minUsd: number;
  /** The current problem. */
  readonly problem?: string;
}

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
  readonly hasColours: boolean;
}

const HOURS_PER_YEAR = 8_760;
const head = ['COIN', 'LAST', 'AGE', 'MARK', '24H', 'BASIS', 'FUNDING/H', 'A YEAR', 'OPEN INTEREST'];
const printHead = ['TIME (UTC)', 'COIN', 'SIDE', 'PRICE', 'USD'];
const GREEN = '\u001B[32m';
const RED = '\u001B[31m';
const DIM = '\u001B[2m';
const PLAIN = '\u001B[0m';
const NOTHING = '–';

/** The lines of a screen, within its size. */
export function topScreen(view: TopView, size: ScreenSize): readonly string[] {
  const { nowMs, coins, prints, minUsd } = view;
  const time = new Date(nowMs).toISOString().slice(0, 19).replace('T', ' ');
  const title = `crosstape top  ${view.url}  ${view.source}  ${time} UTC`;
  const table = tableLines(
    [head, ...coins.map((coin) => cellsOf(coin, nowMs))],
    new Set([1, 2, 3, 4, 5, 6, 7, 8]),
  );
  const large = tableLines([printHead, ...prints.map(printCells)], new Set([3, 4]));
  const lines: Line[] = [
    { text: title },
    ...(view.problem === undefined ? [] : [{ text: `! ${view.problem}`, colour: RED }]),
    { text: '' },
    ...table.map((text, i) => lineOf(text, i, (at) => coins[at]?.change24hPct)),
    { text: '' },
    { text: `Orders of ${usd(minUsd)} and more` },
    ...large.map((text, i) => lineOf(text, i, (at) => (prints[at]?.side === 'buy' ? 1 : -1))),
  ];
  return lines.slice(0, size.rows).map(({ text, colour }) => {
    const cut = plainText(text).slice(0, size.columns);
    return size.hasColours && colour !== undefined ? `${colour}${cut}${PLAIN}` : cut;
  });
}

interface Line {
  readonly text: string;
  readonly colour?: string;
}

function tableLines(rows: readonly (readonly string[])[], right: ReadonlySet<number>): readonly string[] {
  return printTable(rows, right).split('\n');
}

/** The first line of a table is its header; the others are coloured by direction. */
function lineOf(text: string, i: number, direction: (at: number) => number | null | undefined): Line {
  if (i === 0) return { text, colour: DIM };
  const way = direction(i - 1) ?? 0;
  return way === 0 ? { text } : { text, colour: way > 0 ? GREEN : RED };
}

function cellsOf(
  { coin, last, mark, index, change24hPct, fundingHourly, oiUsd, ts }: TopCoin,
  nowMs: number,
): string[] {
  const basisBps = mark === undefined || index === undefined ? undefined : (mark / index - 1) * 10_000;
  return [
    coin,
    last === undefined ? NOTHING : plain(last),
    ts === undefined ? NOTHING : `${(Math.max(0, nowMs - ts) / 1_000).toFixed(1)} s`,
    mark === undefined ? NOTHING : plain(mark),
    typeof change24hPct === 'number' ? `${signed(change24hPct, 2)} %` : NOTHING,
    basisBps === undefined ? NOTHING : `${signed(basisBps, 1)} bps`,
    fundingHourly === undefined ? NOTHING : `${signed(fundingHourly * 100, 4)} %`,
    fundingHourly === undefined ? NOTHING : `${signed(fundingHourly * HOURS_PER_YEAR * 100, 1)} %`,
    oiUsd === undefined ? NOTHING : usd(oiUsd),
  ];
}

function printCells({ ts, coin, side, price, notionalUsd }: TopPrint): string[] {
  return [new Date(ts).toISOString().slice(11, 23), coin, side, plain(price), usd(notionalUsd)];
}

/** Seven digits: more than any price of the primary venue; averages over fills have more. */
function plain(price: number): string {
  return price.toLocaleString('en-US', { maximumSignificantDigits: 7 });
}

function signed(value: number, decimals: number): string {
  const text = value.toFixed(decimals);
  return value > 0 ? `+${text}` : text;
}

function usd(value: number): string {
  const steps = [
    [1e9, 'bn'],
    [1e6, 'M'],
    [1e3, 'k'],
  ] as const;
  const [unit, name] = steps.find(([least]) => value >= least) ?? [1, ''];
  return `${(value / unit).toFixed(unit === 1 ? 0 : 2)}${name} USD`;
}

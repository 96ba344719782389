import { type Asset, DAY_MS, type EtfDay, type EtfFlows } from '@crosstape/core';
import type { HtmlTable } from '../html-tables.ts';
import { wrong } from '../reading.ts';
import { Malformed } from '../venue.ts';

/** Cells are rounded to a tenth, so that a total is not exactly the sum of its row: each may be half a tenth off. */
const ROUNDING_USDM = 0.05;
/** In most rows these errors cancel each other. */
const USUAL_ERROR_USDM = 0.15;
const FLOAT_ERROR_USDM = 1e-6;
/** When more rows than this share make no sense, it is the page that has changed. */
const REFUSED_SHARE_MAX = 0.1;

interface Launch {
  readonly coin: string;
  /** The row with a column for these is the row of tickers. */
  readonly anchors: readonly string[];
  /** The first day of trading. */
  readonly dayMs: number;
}

const LAUNCHES: Readonly<Record<Asset, Launch>> = {
  bitcoin: { coin: 'BTC', anchors: ['IBIT', 'FBTC', 'GBTC'], dayMs: Date.UTC(2024, 0, 11) },
  ethereum: { coin: 'ETH', anchors: ['ETHA', 'FETH', 'ETHE'], dayMs: Date.UTC(2024, 6, 23) },
};

/** Where in a row everything is. The date is in front. */
interface Columns {
  readonly width: number;
  readonly tickers: readonly { readonly ticker: string; readonly at: number }[];
  readonly totalAt: number;
  /** It has no label: it stands at the end, as the total does. */
  readonly isTotalNameless: boolean;
  /** Columns without a name: nothing may stand in them. */
  readonly nameless: readonly number[];
}

/** Finds the table of an asset's ETFs by its tickers, and reads its days. */
export function readFlowTable(
  tables: readonly HtmlTable[],
  asset: Asset,
  receivedAtMs: number,
): {
  readonly flows: EtfFlows;
  readonly refused: readonly string[];
  /** Footnotes that stand at figures: what they say is not read. */
  readonly notes: readonly string[];
} {
  const { coin, anchors, dayMs: launchMs } = LAUNCHES[asset];
  const isHeader = (row: readonly string[]): boolean => anchors.every((anchor) => row.includes(anchor));
  const bare = tables.map((rows) => rows.map((row) => row.map(withoutFootnote)));
  const table = bare.find((rows) => rows.some(isHeader));
  const header = table?.find(isHeader);
  if (!table || !header) throw new Malformed(`no table has a row with ${anchors.join(', ')}`);
  const columns = readHeader(header);
  const days = new Map<number, EtfDay>();
  const refused: string[] = [];
  const refusedDays: string[] = [];
  const dated = table.filter((row) => DATE.test(row[0] ?? ''));
  for (const row of dated) {
    try {
      const day = readDay(row, columns);
      if (day.dayMs < launchMs) throw new Malformed(`${day.label} is before the first day of trading`);
      if (day.dayMs > receivedAtMs + DAY_MS) throw new Malformed(`${day.label} has not come yet`);
      if (days.has(day.dayMs)) throw new Malformed(`${day.label} stands there twice`);
      days.set(day.dayMs, day);
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      refused.push(error.message);
      refusedDays.push(row[0] as string);
    }
  }
  if (refused.length > dated.length * REFUSED_SHARE_MAX)
    throw new Malformed(`${refused.length} of ${dated.length} days: ${refused[0]}`);
  const reported = [...days.values()]
    .filter(({ flowsUsdm }) => Object.keys(flowsUsdm).length > 0)
    .toSorted((a, b) => a.dayMs - b.dayMs);
  if (reported.length === 0) throw new Malformed('the table has no day with a reported figure');
  const exact = reported.filter((day) => errorOf(day) <= USUAL_ERROR_USDM + FLOAT_ERROR_USDM);
  if (columns.isTotalNameless && exact.length <= reported.length / 2)
    throw new Malformed(
      `the last column has no name, and is the sum of ${exact.length} of ${reported.length} rows`,
    );
  const tickers = columns.tickers.map(({ ticker }) => ticker);
  // A refused day leaves a gap, not another beginning.
  const isSinceLaunch = dated.some(([label = '']) => dayOf(label) === launchMs);
  return {
    flows: { coin, tickers, days: reported, isSinceLaunch, ...(refusedDays.length > 0 && { refusedDays }) },
    refused,
    notes: footnotesOf(tables[bare.indexOf(table)] ?? [], header),
  };
}

/** `86.8*`, `(95.1)†`, `(95.1*)`: a mark at the end of what a cell says. */
const FOOTNOTE = /\s*[*†‡]+(?=\)?$)/;

function withoutFootnote(cell: string): string {
  return cell.replace(FOOTNOTE, '');
}

/** One sentence, which names the newest. */
function footnotesOf(table: HtmlTable, header: readonly string[]): readonly string[] {
  const marked = table.flatMap((row) =>
    row.flatMap((cell, at) => (FOOTNOTE.test(cell) ? [`${row[0]} ${header[at]} ${cell}`] : [])),
  );
  const newest = marked.at(-1);
  return newest === undefined ? [] : [`Figures with a footnote: ${marked.length}, the last is ${newest}.`];
}

/** Columns by their names, never by their place: new funds come in between. The last may be nameless: it is the total. */
function readHeader(header: readonly string[]): Columns {
  const tickers: { ticker: string; at: number }[] = [];
  const nameless: number[] = [];
  let totalAt: number | undefined;
  for (const [at, name] of header.entries()) {
    if (at === 0 && (name === '' || /^date$/i.test(name))) continue;
    if (/^total$/i.test(name)) {
      if (totalAt !== undefined) throw new Malformed('the table has two totals');
      totalAt = at;
    } else if (name === '') nameless.push(at);
    else if (!/^[A-Z][A-Z0-9]{1,9}$/.test(name) || at === 0)
      throw new Malformed(`a column is called ${JSON.stringify(name.slice(0, 40))}`);
    else if (tickers.some(({ ticker }) => ticker === name))
      throw new Malformed(`two columns are called ${name}`);
    else tickers.push({ ticker: name, at });
  }
  const isTotalNameless = totalAt === undefined && nameless.at(-1) === header.length - 1;
  if (isTotalNameless) totalAt = nameless.pop();
  if (totalAt === undefined) throw new Malformed('the table has no total');
  return { width: header.length, tickers, totalAt, isTotalNameless, nameless };
}

/**
 * A total that is the sum of its row proves that all its figures are there, and none that belongs elsewhere. Two columns
 * that changed places make the same sum: which is whose is what the header says, on the same page.
 */
function readDay(row: readonly string[], { width, tickers, totalAt, nameless }: Columns): EtfDay {
  const label = row[0] as string;
  const dayMs = readDate(label);
  // The date alone: nothing is published yet.
  if (row.slice(1).every((cell) => NOTHING.includes(cell)))
    return { label, dayMs, flowsUsdm: {}, totalUsdm: 0 };
  if (row.length !== width) throw new Malformed(`${label} has ${row.length} cells, not ${width}`);
  for (const at of nameless) {
    if (readUsdm(row[at], label) !== undefined)
      throw new Malformed(`${label} has a figure in a column without a name`);
  }
  const flowsUsdm: Record<string, number> = {};
  for (const { ticker, at } of tickers) {
    const usdm = readUsdm(row[at], `${label} ${ticker}`);
    if (usdm === undefined) continue;
    flowsUsdm[ticker] = usdm;
  }
  const totalUsdm = readUsdm(row[totalAt], `${label} total`) ?? 0;
  const day = { label, dayMs, flowsUsdm, totalUsdm };
  const cells = Object.keys(flowsUsdm).length + 1;
  if (errorOf(day) > ROUNDING_USDM * cells + FLOAT_ERROR_USDM)
    throw new Malformed(
      `${label} has a total of ${totalUsdm}, but its figures make ${sumOf(day).toFixed(1)}`,
    );
  return day;
}

function sumOf({ flowsUsdm }: EtfDay): number {
  return Object.values(flowsUsdm).reduce((sum, usdm) => sum + usdm, 0);
}

function errorOf(day: EtfDay): number {
  return Math.abs(sumOf(day) - day.totalUsdm);
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const DATE = /^(\d{1,2}) ([A-Z][a-z]{2}) (\d{4})$/;

function readDate(label: string): number {
  const dayMs = dayOf(label);
  if (dayMs === undefined) throw wrong(label, 'a row', 'of a day');
  return dayMs;
}

function dayOf(label: string): number | undefined {
  const [, day, name = '', year] = DATE.exec(label) ?? [];
  const month = MONTHS.indexOf(name);
  const dayMs = Date.UTC(Number(year), month, Number(day));
  return month < 0 || new Date(dayMs).getUTCDate() !== Number(day) ? undefined : dayMs;
}

const NOTHING: readonly string[] = ['', '-', '–', '—', '−'];

/** Millions of dollars: `1,234.5`, negative in parentheses. A dash is no figure: not yet reported, or not trading. */
function readUsdm(cell: string | undefined, what: string): number | undefined {
  if (cell === undefined || NOTHING.includes(cell)) return undefined;
  const found = /^(\()?(\d{1,3}(?:,\d{3})*|\d{1,6})(\.\d{1,2})?(\))?$/.exec(cell);
  if (!found || (found[1] === undefined) !== (found[4] === undefined)) throw wrong(cell, what, 'a figure');
  const usdm = Number(`${found[2]?.replaceAll(',', '')}${found[3] ?? ''}`);
  return found[1] !== undefined && usdm !== 0 ? -usdm : usdm;
}

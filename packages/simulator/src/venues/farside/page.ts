import { hash32 } from '@crosstape/core';
import { type FlowDay, flowDays } from './flow-days.ts';
import type { Fund, FundTable } from './funds.ts';

/** One day in this many has a figure with a footnote. */
const FOOTNOTE_DAYS = 50;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

export interface PageOptions {
  readonly seed: number;
  readonly nowMs: number;
  readonly table: FundTable;
  /** This many of the last rows; all when absent. */
  readonly rows?: number | undefined;
  /** Factor of the last complete day. */
  readonly surgeTimes?: number | undefined;
}

/** The page as browsers get it, with everything around the table that makes it hard to parse. */
export function printPage({ seed, nowMs, table, rows, surgeTimes = 1 }: PageOptions): string {
  const funds = table.funds.filter(({ sinceMs }) => sinceMs <= nowMs);
  const days = surged(flowDays({ seed, table, funds, nowMs }), surgeTimes);
  const shown = rows === undefined ? days : days.slice(-rows);
  return `<!DOCTYPE html>
<html lang="en-GB"><head><title>${table.title} – Farside Investors</title>
<style>table.etf td > span { white-space: nowrap }</style>
<script>const tables = "<table><tr><td>1 Jan 2024</td></tr></table>";</script></head>
<body><!-- <table class="etf"> -->
<table class="menu"><tr><td>Home</td><td>Data &amp; Research</td></tr></table>
<h1>${table.title}</h1>
<figure><table class="etf">
<thead>
${row(['', ...funds.map(({ issuer }) => issuer), ''], 'th')}
${row(['', ...funds.map(({ ticker }) => ticker), table.totalName], 'th')}
${row(['Fee', ...funds.map(({ feePct }) => `${feePct.toFixed(2)}%`), ''])}
</thead>
<tbody>
${shown.map((day) => dayRow(seed, day, day === days.at(-1))).join('\n')}
${sums(funds, days)}
</tbody></table></figure>
<p>Source: the funds. A dash: not yet reported. * Includes seed capital.</p></body></html>
`;
}

/** The last day that every fund has reported is multiplied by this. */
function surged(days: readonly FlowDay[], times: number): readonly FlowDay[] {
  const last = days.findLastIndex(({ tenths }) => tenths.every((one) => one !== undefined));
  return days.map((day, i) =>
    i === last ? { ...day, tenths: day.tenths.map((one) => one && one * times) } : day,
  );
}

function row(cells: readonly string[], tag = 'td'): string {
  return `<tr>${cells.map((cell) => `<${tag}><span class="tabletext">${cell}</span></${tag}>`).join('')}</tr>`;
}

/** The newest row is the date alone until a fund has reported. Now and then the first figure has a footnote. */
function dayRow(seed: number, day: FlowDay, isNewest: boolean): string {
  const label = dateLabel(day.dayMs);
  if (isNewest && day.tenths.every((one) => one === undefined)) return row([label]);
  const noted = hash32(seed, day.dayMs, FOOTNOTE_DAYS) % FOOTNOTE_DAYS === 0;
  const cells = day.tenths.map(
    (one, i) => `${figure(one)}${noted && i === 0 && one !== undefined ? '*' : ''}`,
  );
  return row([label, ...cells, figure(totalOf(day))]);
}

/** Running total of what is reported so far. */
function totalOf({ tenths }: FlowDay): number {
  return tenths.reduce<number>((sum, one) => sum + (one ?? 0), 0);
}

function sums(funds: readonly Fund[], days: readonly FlowDay[]): string {
  const columns = [
    ...funds.map((_, i) => days.flatMap(({ tenths }) => tenths[i] ?? [])),
    days.map((day) => totalOf(day)),
  ];
  const of = (name: string, fold: (figures: readonly number[]) => number): string =>
    row([name, ...columns.map((figures) => figure(figures.length === 0 ? undefined : fold(figures)))]);
  const total = (figures: readonly number[]): number => figures.reduce((sum, one) => sum + one, 0);
  return [
    of('Total', total),
    of('Average', (figures) => Math.round(total(figures) / figures.length)),
    of('Maximum', (figures) => figures.reduce((most, one) => Math.max(most, one))),
    of('Minimum', (figures) => figures.reduce((least, one) => Math.min(least, one))),
  ].join('\n');
}

/** `1,234.5`, `(95.1)` in red, `-` for a missing figure. */
function figure(tenths: number | undefined): string {
  if (tenths === undefined) return '-';
  const [whole = '', tenth = '0'] = (Math.abs(tenths) / 10).toFixed(1).split('.');
  const text = `${whole.replaceAll(/\B(?=(\d{3})+$)/g, ',')}.${tenth}`;
  return tenths < 0 ? `<span class="redFont">(${text})</span>` : text;
}

function dateLabel(dayMs: number): string {
  const date = new Date(dayMs);
  return `${String(date.getUTCDate()).padStart(2, '0')} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}

import type { Client } from '@crosstape/client';
import { UsageError } from '../../settings/read-settings.ts';
import type { Command } from '../command.ts';
import { escapeControls } from '../../platform/plain-text.ts';
import { readRepeated, remoteHelp } from './read-remote.ts';
import { printTable } from '../print-table.ts';

/** Longer cells are cut; `--json` has everything. */
const CELL_CHARS_MAX = 60;
/** Milliseconds of this century are printed as times. */
const TIME_MIN_MS = 946_684_800_000;

type Row = Readonly<Record<string, unknown>>;

/** Records as a table: right-aligned numbers, formatted times, nested objects as columns, lists as JSON. */
function recordTable(records: readonly Row[]): string {
  if (records.length === 0) return '(no rows)';
  const rows = records.map((record) => flatten(record));
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const isNumber = (name: string): boolean =>
    rows.every(({ [name]: value }) => value === undefined || typeof value === 'number');
  const numbers = names.flatMap((name, i) => (isNumber(name) ? [i] : []));
  const cells = rows.map((row) => names.map((name) => cellOf(name, row[name])));
  return printTable([names, ...cells], new Set(numbers));
}

/** `{ native: { rate: 1 } }` is `{ 'native.rate': 1 }`. */
function flatten(record: Row, prefix = ''): Row {
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) =>
      isRecord(value) ? Object.entries(flatten(value, `${prefix}${name}.`)) : [[prefix + name, value]],
    ),
  );
}

function isRecord(value: unknown): value is Row {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
  );
}

function cellOf(name: string, value: unknown): string {
  if (value === undefined) return '';
  if (typeof value === 'number' && value >= TIME_MIN_MS && /(^t|^ts|At|Ts|Ms)$/.test(name)) {
    return new Date(value).toISOString();
  }
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : JSON.stringify(value);
  return text.length <= CELL_CHARS_MAX ? text : `${text.slice(0, CELL_CHARS_MAX - 1)}…`;
}

const help = `crosstape get PATH [--parameter value …] [--json] [--url URL]

Calls any endpoint of a running service and prints a table. Flags are the endpoint's parameters, in kebab or camel case
(--since-ms or --sinceMs). Repeat a flag for several values. Warnings (stale, partial, unknown coins) go to stderr.

${remoteHelp}

Examples:
  crosstape get perps/oi --coins BTC,ETH --venues hyperliquid,binance
  crosstape get perps/whales --min-usd 1000000 --limit 20
  crosstape get options/gex --underlying BTC --json | jq .data.gammaFlip
  crosstape get points --type OI_AGG --exchange binance --exchange okx --coins BTC,ETH
  crosstape get coverage --coin SOL --url https://tape.example.org`;

/** One answer of a service, for people or a pipe. */
export const get: Command = {
  name: 'get',
  summary: 'call an endpoint: crosstape get perps/oi --coins BTC,ETH',
  help: () => help,
  async run(args, terminal) {
    const { client, words, flags, isJson } = readRepeated(args, terminal);
    const [path, extra] = words;
    if (path === undefined) throw new UsageError('get needs a path; see crosstape help get');
    if (extra !== undefined) throw new UsageError(`unexpected argument ${extra}; see crosstape help get`);
    const asked = `/${path.replace(/^\//, '')}`;
    if (asked.startsWith('/streams/'))
      throw new UsageError(`${path} is an endless stream; see crosstape help tail`);
    const answer = await askFor(client, asked, flags);
    // Plain documents have no envelope.
    if (isJson || answer.data === undefined || !answer.meta) {
      terminal.out(escapeControls(JSON.stringify(answer)));
      return 0;
    }
    terminal.out(printData(answer.data));
    const remarks = remarksOn(answer.meta);
    if (remarks !== '') terminal.error(remarks);
    return 0;
  },
};

async function askFor(
  client: Client,
  path: string,
  flags: Readonly<Record<string, readonly string[]>>,
): Promise<{ readonly data?: unknown; readonly meta?: Row }> {
  // A single value is passed as it is; the client encodes several.
  const query = Object.fromEntries(
    Object.entries(flags).map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  );
  // The service validates paths.
  const ask = client.get.bind(client) as unknown as (path: string, query: object) => Promise<never>;
  return ask(path, query);
}

/** A list as a table; of a record its plain fields, and each list of records as a separate table. */
function printData(data: unknown): string {
  if (isRows(data)) return recordTable(data);
  if (typeof data !== 'object' || data === null) return JSON.stringify(data);
  const entries = Object.entries(data as Row);
  const plain = entries.filter(([, value]) => !isRows(value));
  const lists = entries.filter((entry): entry is [string, readonly Row[]] => isRows(entry[1]));
  const own = plain.length > 0 ? [recordTable([Object.fromEntries(plain)])] : [];
  return [...own, ...lists.map(([name, rows]) => `${name}:\n${recordTable(rows)}`)].join('\n\n');
}

function isRows(value: unknown): value is readonly Row[] {
  return (
    Array.isArray(value) &&
    value.every((one) => typeof one === 'object' && one !== null && !Array.isArray(one))
  );
}

function remarksOn(meta: Row): string {
  const { fetchedAt, source, ...rest } = meta;
  const shown = Object.entries(rest).filter(
    ([, value]) => value !== false && value !== null && !isEmpty(value),
  );
  if (shown.length === 0) return '';
  return shown.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join('\n');
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

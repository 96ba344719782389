import { writeFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { type Bar, barAt, barKinds, barsToJson, type ResultPack } from '@crosstape/core';
import { buildBars, type BuildSpec } from '@crosstape/client/bars';
import { UsageError } from '../../settings/read-settings.ts';
import type { Command } from '../command.ts';
import { startProgress } from '../ticks/progress.ts';
import { flagOf, readRemote, remoteHelp } from './read-remote.ts';
import { parquetWriteBuffer } from 'hyparquet-writer';

const wholes = new Set(['index', 'openTs', 'closeTs', 'trades', 'direction']);

/** File formats of built bars. Only `json` has the bar in progress. */
const barFormats: Readonly<Record<string, (pack: ResultPack) => string | Uint8Array>> = {
  csv(pack) {
    const { names, bars } = tableOf(pack);
    const lines = [names, ...bars.map((bar) => names.map((name) => bar[name]))];
    return lines.map((cells) => `${cells.join(',')}\n`).join('');
  },
  ndjson: (pack) =>
    tableOf(pack)
      .bars.map((bar) => `${JSON.stringify(bar)}\n`)
      .join(''),
  json: (pack) => `${JSON.stringify(barsToJson(pack))}\n`,
  parquet(pack) {
    const { names, bars } = tableOf(pack);
    const columnData = names.map((name) => {
      const data = bars.map((bar) => bar[name]);
      if (name === 'complete') return { name, data, type: 'BOOLEAN' as const };
      if (!wholes.has(name)) return { name, data, type: 'DOUBLE' as const };
      return { name, data: data.map((value) => BigInt(value as number)), type: 'INT64' as const };
    });
    return new Uint8Array(parquetWriteBuffer({ columnData }));
  },
};

interface Table {
  /** Every kind has the same fields, plus a few of its own. */
  readonly names: readonly string[];
  readonly bars: readonly Bar[];
}

function tableOf({ bars: { length }, bars: columns }: ResultPack): Table {
  const bars = Array.from({ length }, (_, i) => barAt(columns, i));
  // Without bars the names are still needed for the header.
  return { names: Object.keys(barAt(columns, 0)), bars };
}

const formatNames = Object.keys(barFormats).join(', ');

const help = `crosstape build COIN|--market MARKET KIND [--parameter value …] [--days DAYS] [--tick TICK] [--format FORMAT] [--out FILE]

Has a running service build bars from its recorded ticks, and writes them: ${formatNames}. The format is that of the
file's name by default; without --out the bars go to stdout as csv. Gaps in the tape are reported on stderr. --market names a
recorded market of any venue instead of a coin of the primary; \`crosstape get markets/recorded\` lists them.

Kinds and their parameters:
${barKinds.map(({ name, params }) => `  ${name.padEnd(15)} ${params.map((param) => `--${flagOf(param.name)}`).join(' ')}`).join('\n')}

${remoteHelp}

Examples:
  crosstape build BTC range --range-ticks 50 --days 3 --out btc-range.parquet
  crosstape build --market binance:BTCUSDT tick --trades 500 --out btc-binance.csv
  crosstape build ETH volume --volume 1000000 --unit usd | head`;

/** Builds bars on a service and writes a file. */
export const build: Command = {
  name: 'build',
  summary: 'build bars: crosstape build BTC range --range-ticks 50 --days 3 --out bars.csv',
  help: () => help,
  async run(args, terminal) {
    const { client, words, flags, isJson } = readRemote(args, terminal);
    const { market } = flags;
    const [coin, kind, extra] = market === undefined ? words : [undefined, ...words];
    if ((coin ?? market) === undefined || kind === undefined)
      throw new UsageError('build needs a coin or --market, and a kind; see crosstape help build');
    if (extra !== undefined) throw new UsageError(`unexpected argument ${extra}; see crosstape help build`);
    const { out, format = isJson ? 'json' : (out && extname(out).slice(1)) || 'csv', ...rest } = flags;
    const print = barFormats[format];
    if (!print) throw new UsageError(`--format must be one of ${formatNames}, not "${format}"`);
    if (out === undefined && format === 'parquet') throw new UsageError('parquet needs --out');
    const progress = startProgress(terminal.stderr, 'building', 100);
    try {
      const pack = await buildBars(client, specOf(coin, kind, rest), {
        onProgress: ({ pct }) => progress.at(Math.round(pct * 100)),
      });
      progress.stop();
      const file = print(pack);
      if (out !== undefined) await writeFile(out, file);
      else terminal.stdout.write(file);
      const { trades, bars, gaps } = pack.stats;
      terminal.error(`${bars} bars from ${trades} trades${out === undefined ? '' : ` in ${out}`}`);
      for (const { from, to } of gaps) {
        terminal.error(`gap from ${new Date(from).toISOString()} to ${new Date(to).toISOString()}`);
      }
      return 0;
    } finally {
      progress.stop();
    }
  },
};

/** Parameters of the kind, from the remaining flags. */
function specOf(coin: string | undefined, kind: string, flags: Readonly<Record<string, string>>): BuildSpec {
  const { market, days, tick, degraded, ...params } = flags;
  if (degraded !== undefined && degraded !== 'true' && degraded !== 'false')
    throw new UsageError(`--degraded must be true or false, not "${degraded}"`);
  const spec = {
    ...(market === undefined ? { coin } : { market }),
    kind,
    params: Object.fromEntries(Object.entries(params).map(([name, text]) => [name, numberOr(text)])),
    ...(days !== undefined && { days: numberOr(days) }),
    ...(tick !== undefined && { tick: numberOr(tick) }),
    ...(degraded !== undefined && { degraded: degraded === 'true' }),
  };
  // The service validates kinds and parameters.
  return spec as unknown as BuildSpec;
}

function numberOr(text: string): number | string {
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}

import { UsageError } from '../../settings/read-settings.ts';
import type { Command } from '../command.ts';

/** Loaded on demand: they import the whole store. */
const parts: Readonly<Record<string, () => Promise<Command['run']>>> = {
  export: async () => (await import('./export-ticks.ts')).exportTicks,
  import: async () => (await import('./import-ticks.ts')).importTicks,
  reconcile: async () => (await import('./reconcile-ticks.ts')).reconcileTicks,
  salvage: async () => (await import('./salvage-ticks.ts')).salvageTicks,
  verify: async () => (await import('./verify-ticks.ts')).verifyTicks,
};

const ONLY_FOLDERS =
  'crosstape: REDIS_URL is set, but ticks knows only the record in a folder; what is recorded on Redis is not there';

const help = `Whose record, for all of them:
  --data (DATA_DIR; ./data)    folder for everything recorded
  --upstream (UPSTREAM; auto)  live, sim, or the only one that is there
  --seed (SIM_SEED)            of the simulated market, where there are several
What is recorded on Redis (REDIS_URL) is not in the folder; /perps/trades/history returns it.

crosstape ticks export --coin BTC|--market MARKET [--from TIME] [--to TIME] [--format FORMAT] [--out FILE]
  Writes the recorded trades with from <= ts < to, oldest first, archived days included; default: all of them. Safe
  while a service runs. --market names a recorded market of any venue (binance:BTCUSDT, coinbase-spot:BTC-USD): sizes
  are in coins, prices those of one coin in the market's quote currency. FORMAT is csv, ndjson, parquet, arrow (IPC
  stream), freqtrade (Parquet for its --data-format-trades parquet) or tardis (gzipped CSV, microseconds). Without
  --out, csv and ndjson go into a pipe. Gaps are reported on stderr.

crosstape ticks import --coin BTC [--from TIME] [--to TIME] [--format csv|ndjson|parquet] [--complete] FILE
  Records the trades of a file where none are recorded, all or none of them. No service may hold the folder. The file
  must be sorted by ts. Columns: ts, price, size, side, tid; optional: venueTs, sameOrder. The time from
  its first to its last trade counts as partial, or as refilled with --complete: then the file holds every trade of it.
  A service forgets what is older than its --retention-days, imported or not. --market is accepted for markets of the
  primary venue only: those of other venues are filled from the venues, by the numbers of their trades.

crosstape ticks import --format hl-fills --fills FOLDER [--from DATE] [--to DATE] [--again]
  Imports days from before the record from the fills that Hyperliquid publishes: the trades of every perpetual, their
  candles, and the ledger, where the days count as refilled with the reason imported. Consecutive hours of a day are one
  commit; a run that was interrupted continues after the last one, and hours whose files are added later are imported by
  the next run. --again imports the chosen days again, if the service has forgotten their trades since. Days that
  overlap the record are refused. No service may hold the folder.
  With ARCHIVE the days are kept for good; without, the service forgets their trades after --retention-days.

crosstape ticks verify [--json]
  Reads every chunk, its ids, the unsealed trades and the ledger of gaps, and reports what is damaged: exit code 1.
  A service may record into the folder meanwhile.

crosstape ticks reconcile --day DATE --fills FOLDER [--json]
  Compares a recorded UTC day with the fills that Hyperliquid publishes, trade by trade: node_fills_by_block/hourly from
  the archive (LZ4) or as a node writes it. Keeps the result, which /audit/fills serves. Exit code 1 when a trade is
  missing outside a reported gap, is not on the chain, or differs. Also scores the inferred liquidations of the last 30
  days on the liquidations that the chain marks, for /audit/liquidations. A service may record into the folder meanwhile.

crosstape ticks salvage --to FOLDER
  Copies what is readable of a damaged store to a new data folder, which a service can be started with. Trades that are
  lost, or may be, are entered as gaps. Nothing in the damaged folder is changed. No service may hold it.

TIME is milliseconds, a date (UTC), or a date and time with its zone. The default format is that of the file's name.

Examples:
  crosstape ticks export --coin BTC --from 2026-11-14 --to 2026-11-15 --out btc.parquet
  crosstape ticks export --market okx:BTC-USDT-SWAP --from 2026-11-14 --out btc-okx.csv
  crosstape ticks export --coin kPEPE --format csv | gzip > kpepe.csv.gz
  crosstape ticks export --coin BTC --format freqtrade --out user_data/data/hyperliquid/futures/BTC_USDC_USDC-trades.parquet
  crosstape ticks import --coin BTC --upstream live --complete btc.parquet
  crosstape ticks import --upstream live --format hl-fills --fills ./hl-mainnet-node-data --to 2026-11-01
  crosstape ticks verify --data /var/lib/crosstape --upstream live
  crosstape ticks reconcile --upstream live --day 2026-11-14 --fills ./hl-mainnet-node-data
  crosstape ticks salvage --data /var/lib/crosstape --upstream live --to /var/lib/crosstape-salvaged`;

/** Exports, imports, verifies and salvages recorded trades. */
export const ticks: Command = {
  name: 'ticks',
  summary: 'export, import, verify, reconcile or salvage the recorded trades',
  help: () => help,
  async run([word, ...args], terminal) {
    const part = word === undefined ? undefined : parts[word];
    if (part && (terminal.environment['REDIS_URL'] ?? '') !== '') terminal.error(ONLY_FOLDERS);
    if (part) return (await part())(args, terminal);
    const words = Object.keys(parts).join(', ');
    throw new UsageError(
      `ticks needs one of ${words}${word === undefined ? '' : `, not ${word}`}; see crosstape help ticks`,
    );
  },
};

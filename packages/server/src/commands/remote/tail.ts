import type { Gap, StreamItem, StreamPath } from '@crosstape/client';
import { UsageError } from '../../settings/read-settings.ts';
import type { Command, Terminal } from '../command.ts';
import { escapeControls, plainText } from '../../platform/plain-text.ts';
import { readRemote, remoteHelp } from './read-remote.ts';

type Item = StreamItem<StreamPath>;

/** Streams that can be followed, and the meaning of the next word. */
const streams: Readonly<Record<string, { readonly path: StreamPath; readonly parameter: 'coin' | 'coins' }>> =
  {
    trades: { path: '/streams/trades', parameter: 'coin' },
    whales: { path: '/streams/whales', parameter: 'coin' },
    funding: { path: '/streams/funding', parameter: 'coins' },
  };

const help = `crosstape tail trades COIN|--market MARKET [--min-usd USD]
crosstape tail whales [COIN|--market MARKET] [--venues all] [--min-usd USD]
crosstape tail funding [COIN,COIN…] [--min-delta-bps BPS]

Prints one line per event until interrupted. Resumes after a lost connection; unrecoverable events are reported as a
gap on stderr.

${remoteHelp}

Examples:
  crosstape tail trades BTC --min-usd 10000
  crosstape tail trades --market binance:BTCUSDT
  crosstape tail whales --venues all
  crosstape tail whales --json | jq .notionalUsd`;

/** Prints a stream of a service, line by line. */
export const tail: Command = {
  name: 'tail',
  summary: 'follow trades, whales or funding: crosstape tail trades BTC --min-usd 10000',
  help: () => help,
  async run(args, terminal) {
    const { client, words, flags, isJson } = readRemote(args, terminal);
    const [name = '', coin, extra] = words;
    const stream = streams[name];
    if (!stream)
      throw new UsageError(`tail needs one of ${Object.keys(streams).join(', ')}; see crosstape help tail`);
    if (extra !== undefined) throw new UsageError(`unexpected argument ${extra}; see crosstape help tail`);
    const { path, parameter } = stream;
    const query = { ...flags, ...(coin !== undefined && { [parameter]: coin }) };
    const ending = new AbortController();
    void terminal.stopSignal().then(() => ending.abort(new Stopped()));
    // The service validates the query of each stream.
    const asked = [query as never, { signal: ending.signal }] as const;
    try {
      // A stream retries forever, which is wrong for a mistyped address.
      await client.health({ signal: ending.signal });
      const of = coin ?? flags.market;
      terminal.error(`connected; waiting for ${name}${of === undefined ? '' : ` of ${of}`} (Ctrl+C stops)`);
      for await (const item of client.stream<StreamPath>(path, ...asked)) print(item, isJson, terminal);
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
    }
    return 0;
  },
};

class Stopped extends Error {}

function print(item: Item, isJson: boolean, { out, error, stdout, environment }: Terminal): void {
  if (item.event === 'gap')
    error(`gap: events lost from ${timeOf(item.data.from)} to ${timeOf(item.data.to)}`);
  else
    out(
      isJson
        ? escapeControls(JSON.stringify(item.data))
        : lineOf(item, stdout.isTTY && !environment.NO_COLOR),
    );
}

const GREEN = '\u001B[32m';
const RED = '\u001B[31m';
const PLAIN = '\u001B[39m';

function lineOf(item: Exclude<Item, Gap>, hasColours: boolean): string {
  const { ts, coin } = item.data;
  const name = ('market' in item.data && item.data.market) || coin;
  const start = `${timeOf(ts)}  ${plainText(name).padEnd(10)}`;
  if (item.event === 'funding') {
    const { prevRate, rate, delta } = item.data;
    const bps = delta * 10_000;
    return `${start}  ${prevRate} → ${rate}  (${bps > 0 ? '+' : ''}${bps.toFixed(2)} bps)`;
  }
  const { side, price, notionalUsd } = item.data;
  const size = item.event === 'trade' ? `  ${String(item.data.size).padStart(12)}` : '';
  const usd = Math.round(notionalUsd).toLocaleString('en-US').padStart(14);
  const line = `${side.padEnd(4)}  ${String(price).padStart(12)}${size}  ${usd} USD`;
  if (!hasColours) return `${start}  ${line}`;
  return `${start}  ${side === 'buy' ? GREEN : RED}${line}${PLAIN}`;
}

function timeOf(ts: number): string {
  return new Date(ts).toISOString();
}

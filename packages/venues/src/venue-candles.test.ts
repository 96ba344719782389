import { existsSync, readFileSync } from 'node:fs';
import * as ccxt from 'ccxt';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type CandlePage,
  type CandleSpan,
  Declined,
  Malformed,
  spotVenues,
  venueIntervalsMs,
  venues,
  type VenueCandles,
} from './index.ts';

/** One line of a venue's fixtures: an answer, and what it must become. */
interface Line {
  readonly name: string;
  readonly follows: string;
  readonly span: CandleSpan;
  readonly body: unknown;
  readonly expect?: CandlePage & { readonly request: unknown };
  readonly expectDeclined?: { readonly status: string; readonly message: string };
}

const recorded = [...venues, ...spotVenues].map(({ id, connector }) => ({ id, candles: connector?.candles }));

function linesOf(venue: string): readonly Line[] {
  const path = new URL(`./${venue}/fixtures/candles.jsonl`, import.meta.url);
  if (!existsSync(path)) throw new Error(`${venue} has no fixtures for its candles`);
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Line);
}

it('knows the candles of every venue whose markets are recorded', () => {
  expect(recorded.filter(({ candles }) => candles === undefined)).toEqual([]);
});

describe.each(recorded)('candles of $id', ({ id, candles }) => {
  const source = candles as VenueCandles;
  const lines = linesOf(id);

  it.each(lines)('$name', ({ name, follows, span, body, expect: wanted, expectDeclined }) => {
    expect(name.startsWith('invented-') || /\[[A-Z]/.test(follows)).toBe(true);
    const parse = (): CandlePage => source.parse(body, span);
    if (expectDeclined)
      return expect(parse).toThrow(expect.objectContaining({ name: 'Declined', ...expectDeclined }));
    expect({ request: source.request(span), ...parse() }).toEqual(wanted);
  });

  it('requests a span of hours as it does one of minutes', () => {
    const { market } = (lines[0] as Line).span;
    const toMs = 1_789_992_000_000;
    const span = { market, fromMs: toMs - source.rowsMax * venueIntervalsMs['1h'], toMs };
    const [minutes, hours] = (['1m', '1h'] as const).map((interval) =>
      JSON.stringify(source.request({ ...span, interval })),
    );
    expect(hours).not.toBe(minutes);
  });

  it('either understands an answer or calls it malformed', () => {
    const [{ span }] = lines as [Line];
    const bodies = lines.map(({ body }) => JSON.stringify(body));
    const values = fc.constantFrom('null', '-1', '1e999', '"NaN"', '{}', '[]', 'true', '""');
    const changed = fc.tuple(fc.constantFrom(...bodies), fc.nat(), values).map(([text, at, value]) => {
      const spots = [...text.matchAll(/"[^"]*"|-?\d+(\.\d+)?/g)];
      const spot = spots[at % spots.length];
      return spot ? text.slice(0, spot.index) + value + text.slice(spot.index + spot[0].length) : text;
    });
    fc.assert(
      fc.property(fc.oneof(changed, fc.json()), (text) => {
        try {
          const { candles: read } = source.parse(JSON.parse(text), span);
          for (const { open, high, low, close, volume } of read)
            expect([open, high, low, close, Number(volume)].every((one) => one > 0)).toBe(true);
        } catch (error) {
          const isRefused = error instanceof Malformed || error instanceof Declined;
          expect(isRefused || error instanceof SyntaxError).toBe(true);
        }
      }),
      { numRuns: 100, seed: 4 },
    );
  });
});

/** As much of a ccxt exchange as is used here. */
interface Witness {
  parseOHLCV(row: unknown, market: object): readonly unknown[];
  convertTradingViewToOHLCV(columns: unknown, ...names: readonly string[]): readonly unknown[];
}

/** Where the rows of an answer lie. */
type RowsOf = (body: never, exchange: Witness) => readonly unknown[];
const bare: RowsOf = (body: readonly unknown[]) => body;
const inData: RowsOf = (body: { readonly data: readonly unknown[] }) => body.data;
const inList: RowsOf = (body: { readonly result: { readonly list: readonly unknown[] } }) => body.result.list;
const inCandles: RowsOf = (body: { readonly candles: readonly unknown[] }) => body.candles;

/** ccxt counts the volume of OKX swaps in coins, where we count contracts as trades do: only its prices are compared. */
it.each([
  ['hyperliquid', ccxt.hyperliquid, bare],
  ['binance', ccxt.binanceusdm, bare],
  ['binance-spot', ccxt.binance, bare],
  ['bybit', ccxt.bybit, inList],
  ['bybit-spot', ccxt.bybit, inList],
  ['okx', ccxt.okx, inData],
  ['okx-spot', ccxt.okx, inData],
  ['bitget', ccxt.bitget, inData],
  ['gate', ccxt.gate, bare],
  [
    'mexc',
    ccxt.mexc,
    ((body: { readonly data: unknown }, exchange) =>
      exchange.convertTradingViewToOHLCV(
        body.data,
        'time',
        'open',
        'high',
        'low',
        'close',
        'vol',
      )) satisfies RowsOf,
  ],
  ['dydx', ccxt.dydx, inCandles],
  ['kraken', ccxt.krakenfutures, inCandles],
  [
    'kraken-spot',
    ccxt.kraken,
    ((body: { readonly result: Readonly<Record<string, readonly unknown[]>> }) =>
      body.result['XXBTZUSD'] ?? []) satisfies RowsOf,
  ],
  ['coinbase', ccxt.coinbaseexchange, bare],
] as const)('ccxt reads the candles of %s as we do', (venue, Exchange, rowsOf) => {
  const exchange = new Exchange() as unknown as Witness;
  const [{ body, expect: wanted }] = linesOf(venue) as [Line];
  const type = venue.endsWith('-spot') || venue === 'coinbase' ? 'spot' : 'swap';
  const rows = (rowsOf as RowsOf)(body as never, exchange).map((row) => exchange.parseOHLCV(row, { type }));
  expect(wanted?.candles.length).toBeGreaterThan(0);
  for (const { ts, open, high, low, close, volume } of wanted?.candles ?? []) {
    const theirs = rows.find(([at]) => at === ts);
    expect(theirs?.slice(0, 5)).toEqual([ts, open, high, low, close]);
    if (venue !== 'okx') expect(theirs?.[5]).toBe(Number(volume));
  }
});

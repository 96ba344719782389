import { existsSync, readFileSync } from 'node:fs';
import ccxt from 'ccxt';
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
import { runs } from '../../../test/runs.ts';

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
      { numRuns: runs(100), seed: 4 },
    );
  });
});

/** As much of a ccxt exchange as is used here. */
interface Witness {
  parseOHLCV(row: unknown, market: object): readonly unknown[];
  convertTradingViewToOHLCV(columns: unknown, ...names: readonly string[]): readonly unknown[];
}

/** In `fixtures/facts.json` of a venue. */
interface Facts {
  readonly witnesses: { readonly ccxt: string };
  readonly candleRows: {
    /** Path to the rows in an answer. */
    readonly at: string;
    /** Where the answer has a list per figure: their names. */
    readonly columns?: readonly string[];
  };
}

const exchanges = ccxt as unknown as Readonly<Record<string, new () => Witness>>;

/** ccxt counts the volume of OKX swaps in coins, where we count contracts as trades do: only its prices are compared. */
it.each(recorded)('ccxt reads the candles of $id as we do', ({ id }) => {
  const text = readFileSync(new URL(`./${id}/fixtures/facts.json`, import.meta.url), 'utf8');
  const { witnesses, candleRows } = JSON.parse(text) as Facts;
  const exchange = new exchanges[witnesses.ccxt]!();
  const [{ body, expect: wanted }] = linesOf(id) as [Line];
  const type = spotVenues.some((venue) => venue.id === id) ? 'spot' : 'swap';
  const path = candleRows.at === '' ? [] : candleRows.at.split('.');
  const found = path.reduce((value, name) => (value as Readonly<Record<string, unknown>>)[name], body);
  const rows = candleRows.columns
    ? exchange.convertTradingViewToOHLCV(found, ...candleRows.columns)
    : (found as readonly unknown[]);
  const theirs = rows.map((row) => exchange.parseOHLCV(row, { type }));
  expect(wanted?.candles.length).toBeGreaterThan(0);
  for (const { ts, open, high, low, close, volume } of wanted?.candles ?? []) {
    const same = theirs.find(([at]) => at === ts);
    expect(same?.slice(0, 5)).toEqual([ts, open, high, low, close]);
    if (id !== 'okx') expect(same?.[5]).toBe(Number(volume));
  }
});

import { readFileSync } from 'node:fs';
import type { MarketTrade } from '@crosstape/core';
import { pro } from 'ccxt';
import { normalizeTrades } from 'tardis-dev';
import { expect, it } from 'vitest';
import { type Frame, spotVenues, venues } from './index.ts';

/** Parsers written by others, given the frames of our fixtures: they must read the same trades from them. */

type Fields = Readonly<Record<string, unknown>>;
/** What both report of a trade. */
type Seen = readonly [side: unknown, price: unknown, size: unknown, ts: unknown];

interface Line {
  readonly name: string;
  readonly frame: string;
  readonly expect: Frame;
}

interface Sample {
  readonly frame: Fields;
  readonly trades: readonly MarketTrade[];
}

/** Frames with trades and without malformed rows. */
function samplesOf(venue: string): readonly Sample[] {
  const path = new URL(`./${venue}/fixtures/market-trades.jsonl`, import.meta.url);
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  return lines.flatMap((line) => {
    const { name, frame, expect: parsed } = JSON.parse(line) as Line;
    if (parsed.kind !== 'marketTrades' || name.startsWith('invented-')) return [];
    return [{ frame: JSON.parse(frame) as Fields, trades: parsed.trades }];
  });
}

function inOrder(rows: readonly Seen[]): readonly Seen[] {
  return rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

function ours(trades: readonly MarketTrade[]): readonly Seen[] {
  return inOrder(trades.map(({ side, price, size, venueTs }) => [side, price, size, venueTs]));
}

const AT = new Date('2026-09-01');

/** In `fixtures/facts.json` of a venue: its name in each library that knows its frames of today. */
interface Facts {
  readonly witnesses: {
    readonly ccxt?: keyof typeof pro;
    readonly tardis?: Parameters<typeof normalizeTrades>[0];
  };
}

const witnessed = [...venues, ...spotVenues].flatMap(({ id, connector }) => {
  if (!connector?.marketTrades) return [];
  const text = readFileSync(new URL(`./${id}/fixtures/facts.json`, import.meta.url), 'utf8');
  return [{ id, ...(JSON.parse(text) as Facts).witnesses }];
});

it('has a witness for the trades of every venue', () => {
  const without = witnessed.filter(({ ccxt, tardis }) => ccxt === undefined && tardis === undefined);
  expect(without).toEqual([]);
});

/** It records single fills of Binance, and knows neither MEXC nor Bitget's v3. */
it.each(witnessed.flatMap(({ id, tardis }) => (tardis ? [[id, tardis] as const] : [])))(
  'tardis-dev reads the trades of %s as we do',
  (venue, exchange) => {
    const mapper = normalizeTrades(exchange, AT);
    // It leaves out back-fills.
    const known = samplesOf(venue).filter(({ frame }) => mapper.canHandle(frame));
    expect(known.length).toBeGreaterThan(0);
    for (const { frame, trades } of known) {
      const theirs = [...(mapper.map(frame as never, AT) ?? [])].map(
        ({ side, price, amount, timestamp }): Seen => [side, price, amount, timestamp.getTime()],
      );
      expect(inOrder(theirs)).toEqual(ours(trades));
    }
  },
);

/** As much of a ccxt exchange as is used here. */
interface Witness {
  readonly trades: Readonly<Record<string, Iterable<Fields>>>;
  setMarkets(markets: readonly object[]): unknown;
  handleMessage(client: object, frame: object): unknown;
}

/** Takes whatever is called on it. */
const client = new Proxy(
  { subscriptions: {}, futures: {}, url: 'wss://127.0.0.1/' } as Record<string, unknown>,
  {
    get: (fields, name) => (name in fields ? fields[String(name)] : () => undefined),
  },
);

it.each(witnessed.flatMap(({ id, ccxt }) => (ccxt ? [[id, ccxt] as const] : [])))(
  'ccxt reads the trades of %s as we do',
  (venue, name) => {
    const isSpot = spotVenues.some(({ id }) => id === venue);
    const Exchange = pro[name] as unknown as new () => Witness;
    const kind = isSpot
      ? { type: 'spot', spot: true }
      : { type: 'swap', swap: true, contract: true, linear: true };
    const read = samplesOf(venue).flatMap(({ frame, trades }) => {
      const exchange = new Exchange();
      const id = trades[0]?.symbol ?? '';
      exchange.setMarkets([
        { id, symbol: id, base: 'BTC', quote: 'USD', contractSize: 1, precision: {}, ...kind },
      ]);
      exchange.handleMessage(client, frame);
      const theirs = Object.values(exchange.trades).flatMap((cache) =>
        [...cache].map(({ side, price, amount, timestamp }): Seen => [side, price, amount, timestamp]),
      );
      // It leaves out some older frames, and reads the price of Bitget from `P` only.
      const isRead = theirs.length > 0 && theirs.every(([, price]) => price !== undefined);
      return isRead ? [{ theirs, trades }] : [];
    });
    expect(read.length).toBeGreaterThan(0);
    for (const { theirs, trades } of read) expect(inOrder(theirs)).toEqual(ours(trades));
  },
);

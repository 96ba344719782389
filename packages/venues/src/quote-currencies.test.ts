import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { type Connector, venues } from './index.ts';

/** Where a venue keeps its list. Kraken's answer begins with `result` too, which is a word there. */
const LISTS = ['symbols', 'list', 'data', 'instruments', 'result'];
/** What open interest is summed over: linear contracts in USDT and USDC, where a venue has both. */
const QUOTES = ['USDT', 'USDC', 'USD', 'EUR', 'BTC'];

type Row = Readonly<Record<string, unknown>>;

interface Case {
  readonly venue: string;
  readonly takes: readonly string[];
  /** The first of its list in another currency. */
  readonly inQuote: (row: Row, quote: string) => Row;
}

const cases: readonly Case[] = [
  {
    venue: 'binance',
    takes: ['USDT', 'USDC'],
    inQuote: (row, quote) => ({ ...row, symbol: quote, quoteAsset: quote, marginAsset: quote }),
  },
  {
    venue: 'bybit',
    takes: ['USDT', 'USDC'],
    inQuote: (row, quote) => ({ ...row, symbol: quote, quoteCoin: quote, settleCoin: quote }),
  },
  {
    venue: 'okx',
    takes: ['USDT', 'USDC'],
    inQuote: (row, quote) => ({ ...row, instId: quote, settleCcy: quote, uly: `BTC-${quote}` }),
  },
  {
    venue: 'bitget',
    takes: ['USDT', 'USDC'],
    inQuote: (row, quote) => ({ ...row, symbol: quote, quoteCoin: quote }),
  },
  {
    venue: 'mexc',
    takes: ['USDT', 'USDC'],
    inQuote: (row, quote) => ({ ...row, symbol: quote, quoteCoin: quote, settleCoin: quote }),
  },
  // The list of what settles in USDT; the others that the venue has are in BTC and USD1.
  { venue: 'gate', takes: ['USDT'], inQuote: (row, quote) => ({ ...row, name: `${quote}_${quote}` }) },
  // Settled in dollars from whatever collateral there is.
  { venue: 'kraken', takes: ['USD'], inQuote: (row, quote) => ({ ...row, symbol: `PF_${quote}`, quote }) },
];

/** The first row of the answer's list, wherever it lies, replaced by others. */
function withRows(body: unknown, rowsOf: (first: Row) => readonly Row[]): unknown {
  if (Array.isArray(body)) return rowsOf(body[0] as Row);
  const entries = Object.entries(body as Row);
  const [name, value] = entries.find(([one, list]) => LISTS.includes(one) && typeof list === 'object') ?? [];
  if (name === undefined) throw new Error('no list');
  return { ...(body as Row), [name]: withRows(value, rowsOf) };
}

it.each(cases)('$venue takes contracts in $takes', ({ venue, takes, inQuote }) => {
  const connector = venues.find(({ id }) => id === venue)?.connector;
  const { resources = [] }: Partial<Connector> = connector ?? {};
  const listing = resources.filter(({ gives }) => gives.includes('instruments'));
  const taken = listing.flatMap(({ name, parse }) => {
    const path = new URL(`./${venue}/fixtures/${name}.jsonl`, import.meta.url);
    const { body } = JSON.parse(readFileSync(path, 'utf8').split('\n')[0] ?? '') as { body: unknown };
    return QUOTES.filter((quote) => {
      // Beside one that it takes: a list without any would be refused.
      const changed = withRows(body, (first) => [first, first, inQuote(first, quote)]);
      const { instruments = [] } = parse(changed, 0, {});
      return instruments.length === 3;
    });
  });
  expect(taken).toEqual(takes);
});

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { type Connector, venues } from './index.ts';

/** Where a venue keeps its list. Kraken's answer begins with `result` too, which is a word there. */
const LISTS = ['symbols', 'list', 'data', 'instruments', 'result'];
/** What open interest is summed over: linear contracts in USDT and USDC, where a venue has both. */
const QUOTES = ['USDT', 'USDC', 'USD', 'EUR', 'BTC'];

type Row = Readonly<Record<string, unknown>>;

/** In `fixtures/facts.json` of a venue; null where every contract is quoted in dollars. */
interface Facts {
  readonly quotes: {
    readonly taken: readonly string[];
    /** Fields that put the first contract of its list into another currency, which replaces `QUOTE`. */
    readonly row: Row;
  } | null;
}

const cases = venues.flatMap(({ id: venue }) => {
  const text = readFileSync(new URL(`./${venue}/fixtures/facts.json`, import.meta.url), 'utf8');
  const { quotes } = JSON.parse(text) as Facts;
  if (quotes === null) return [];
  const inQuote = (row: Row, quote: string): Row => ({
    ...row,
    ...(JSON.parse(JSON.stringify(quotes.row).replaceAll('QUOTE', quote)) as Row),
  });
  return [{ venue, taken: quotes.taken, inQuote }];
});

/** The first row of the answer's list, wherever it lies, replaced by others. */
function withRows(body: unknown, rowsOf: (first: Row) => readonly Row[]): unknown {
  if (Array.isArray(body)) return rowsOf(body[0] as Row);
  const entries = Object.entries(body as Row);
  const [name, value] = entries.find(([one, list]) => LISTS.includes(one) && typeof list === 'object') ?? [];
  if (name === undefined) throw new Error('no list');
  return { ...(body as Row), [name]: withRows(value, rowsOf) };
}

it.each(cases)('$venue takes contracts in $taken', ({ venue, taken, inQuote }) => {
  const connector = venues.find(({ id }) => id === venue)?.connector;
  const { resources = [] }: Partial<Connector> = connector ?? {};
  const listing = resources.filter(({ gives }) => gives.includes('instruments'));
  const read = listing.flatMap(({ name, parse }) => {
    const path = new URL(`./${venue}/fixtures/${name}.jsonl`, import.meta.url);
    const { body } = JSON.parse(readFileSync(path, 'utf8').split('\n')[0] ?? '') as { body: unknown };
    return QUOTES.filter((quote) => {
      // Beside one that it takes: a list without any would be refused.
      const changed = withRows(body, (first) => [first, first, inQuote(first, quote)]);
      const { instruments = [] } = parse(changed, 0, {});
      return instruments.length === 3;
    });
  });
  expect(read).toEqual(taken);
});

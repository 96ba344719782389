import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { ParsedTables, TableName } from '@crosstape/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  allPublishers,
  allVenues,
  type Connector,
  Declined,
  type Feed,
  feedsOf,
  type Frame,
  type Known,
  Malformed,
  type OptionTradePage,
  type OptionTradeSpan,
  readablePublishers,
  requestsOf,
  type TradeFeed,
  type TradeGap,
  type TradePage,
  type TradeRefill,
  venues,
} from './index.ts';
import { runs } from '../../../test/runs.ts';

/** One line of a venue's fixtures: a frame or a body, where its shape comes from, and what it must become. */
interface Fixture {
  readonly name: string;
  readonly follows: string;
  readonly frame?: string;
  readonly body?: unknown;
  readonly receivedAtMs?: number;
  /** Of a lookup: what was requested. */
  readonly key?: string;
  /** Of a refill of trades: what is missing, and the path of the page where it is not the first. */
  readonly gap?: TradeGap;
  /** Of trades of options: what was requested. */
  readonly span?: OptionTradeSpan;
  readonly path?: string;
  /** Of a full page: where its one row lies, which is repeated until the page is full. */
  readonly fullAt?: string;
  /** Tables that the parser is given besides; those of a feed come with its first line. */
  readonly known?: Known;
  readonly expect?: unknown;
  readonly expectMalformed?: string;
  readonly expectDeclined?: { readonly status: string; readonly message: string };
}

const connected = readablePublishers.flatMap(({ id, connector }) => (connector ? [{ id, connector }] : []));

/** Resources and lookups alike: a lookup is given the key of its fixture. */
function polledBy({ resources, lookups = [] }: Connector): readonly PolledSource[] {
  return [...resources, ...lookups];
}

interface PolledSource {
  readonly name: string;
  readonly gives: readonly TableName[];
  readonly format?: 'text';
  parse(body: unknown, receivedAtMs: number, known: Known, key: string): ParsedTables;
}

function fixtures(venueId: string, source: string): readonly Fixture[] {
  const path = new URL(`./${venueId}/fixtures/${source}.jsonl`, import.meta.url);
  if (!existsSync(path)) throw new Error(`${venueId} has no fixtures for ${source}`);
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Fixture);
}

function refillLines(venueId: string, { refill }: Feed): readonly Fixture[] {
  return refill ? fixtures(venueId, refill.name) : [];
}

/** The same with the one row of its list at a path repeated. */
function filled(body: unknown, path: string, rows: number): unknown {
  const [key, ...rest] = path.split('.');
  if (!key) return Array.from({ length: rows }, () => (body as readonly unknown[])[0]);
  const fields = body as Readonly<Record<string, unknown>>;
  return { ...fields, [key]: filled(fields[key], rest.join('.'), rows) };
}

function pastLines(venueId: string, { past }: Partial<TradeFeed>): readonly Fixture[] {
  return past ? fixtures(venueId, past.name) : [];
}

function declined({ status, message }: { readonly status: string; readonly message: string }): unknown {
  return expect.objectContaining({ name: 'Declined', status, message });
}

/** Throws on any number that is not finite, however deep. */
function assertFinite(value: unknown): void {
  if (typeof value === 'number') expect(Number.isFinite(value)).toBe(true);
  else if (typeof value === 'object' && value !== null) Object.values(value).forEach(assertFinite);
}

/** JSON that resembles the wire: its own fixtures with parts replaced, cut or doubled, and plain garbage. */
function mutated(seeds: readonly string[]): fc.Arbitrary<string> {
  const cut = fc.tuple(fc.constantFrom(...seeds), fc.nat(), fc.nat()).map(([text, a, b]) => {
    const [from, to] = [a % text.length, b % text.length].toSorted((x, y) => x - y) as [number, number];
    return text.slice(0, from) + text.slice(to);
  });
  const swapped = fc
    .tuple(
      fc.constantFrom(...seeds),
      fc.nat(),
      fc.constantFrom('null', '-1', '1e999', '"NaN"', '{}', '[]', 'true', '""'),
    )
    .map(([text, at, value]) => {
      const spots = [...text.matchAll(/"[^"]*"|-?\d+(\.\d+)?/g)];
      const spot = spots[at % Math.max(1, spots.length)];
      return spot ? text.slice(0, spot.index) + value + text.slice(spot.index + spot[0].length) : text;
    });
  return fc.oneof(cut, swapped, fc.json(), fc.string());
}

it.each(connected)('names no two sources of $id alike', ({ connector }) => {
  const names = [...requestsOf(connector), ...feedsOf(connector)].map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
});

it('has a folder for every connected source and no other', () => {
  const folders = readdirSync(new URL('.', import.meta.url), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
  expect(folders.toSorted()).toEqual(connected.map(({ id }) => id).toSorted());
});

it('has a kind for every venue', () => {
  expect(venues.filter(({ kind }) => kind !== 'cex' && kind !== 'dex')).toEqual([]);
  for (const one of ['options', 'prediction'] as const)
    expect(allVenues.filter(({ kind }) => kind === one)).not.toEqual([]);
});

it('lets no two venues share a spelling', () => {
  const spellings = [...allPublishers.map(({ id }) => id), ...allVenues.flatMap(({ aliases }) => aliases)];
  expect(new Set(spellings).size).toBe(spellings.length);
  expect(spellings.every((spelling) => spelling === spelling.toLowerCase())).toBe(true);
});

describe.each(connected)('$id', ({ id, connector }: { id: string; connector: Connector }) => {
  describe.each(polledBy(connector))('resource $name', (resource) => {
    const lines = fixtures(id, resource.name);

    it.each(lines)('$name', (line) => {
      const { receivedAtMs = 0, known = {}, key = '' } = line;
      const parse = (): unknown => resource.parse(line.body, receivedAtMs, known, key);
      if (line.expectMalformed !== undefined) expect(parse).toThrow(new Malformed(line.expectMalformed));
      else if (line.expectDeclined !== undefined) expect(parse).toThrow(declined(line.expectDeclined));
      else expect(parse()).toEqual(line.expect);
    });

    it('names evidence for every fixture that is not invented', () => {
      for (const line of lines)
        expect(line.name.startsWith('invented-') || /\[[A-Z]/.test(line.follows)).toBe(true);
    });

    it('either parses an answer or calls it malformed, and never returns a non-finite number', () => {
      const { known = {}, key = '' } = lines[0] as Fixture;
      const isText = resource.format === 'text';
      const texts = lines.map(({ body }) => (isText ? (body as string) : JSON.stringify(body)));
      fc.assert(
        fc.property(mutated(texts), (text) => {
          let body: unknown = text;
          try {
            if (!isText) body = JSON.parse(text);
          } catch {
            return;
          }
          try {
            const parsed = resource.parse(body, 1_763_164_800_000, known, key);
            assertFinite(parsed);
            for (const table of resource.gives) expect(parsed[table]).toBeDefined();
          } catch (error) {
            expect(error instanceof Malformed || error instanceof Declined).toBe(true);
          }
        }),
        { numRuns: runs(500), seed: 1 },
      );
    });
  });

  describe.each(connector.optionTrades ? [connector.optionTrades] : [])('$name', (source) => {
    const lines = fixtures(id, source.name);

    it.each(lines)('$name', (line) => {
      const span = line.span as OptionTradeSpan;
      const parse = (): OptionTradePage => source.parse(line.body, span);
      expect(line.name.startsWith('invented-') || /\[[A-Z]/.test(line.follows)).toBe(true);
      if (line.expectMalformed !== undefined) expect(parse).toThrow(new Malformed(line.expectMalformed));
      else if (line.expectDeclined !== undefined) expect(parse).toThrow(declined(line.expectDeclined));
      else expect({ request: source.request(span), ...parse() }).toEqual(line.expect);
    });

    it('either parses an answer or calls it malformed, and never returns a non-finite number', () => {
      const span = lines[0]?.span as OptionTradeSpan;
      fc.assert(
        fc.property(mutated(lines.map(({ body }) => JSON.stringify(body))), (text) => {
          try {
            assertFinite(source.parse(JSON.parse(text), span));
          } catch (error) {
            const isRefused = error instanceof Malformed || error instanceof Declined;
            expect(isRefused || error instanceof SyntaxError).toBe(true);
          }
        }),
        { numRuns: runs(500), seed: 4 },
      );
    });
  });

  describe.each(feedsOf(connector) as readonly (Feed & Partial<TradeFeed>)[])('feed $name', (feed) => {
    const lines = fixtures(id, feed.name);
    const open = (): ((frame: string) => Frame) => feed.open(() => lines[0]?.known ?? {});

    it('reads its fixtures, in order, as one connection', () => {
      const parse = open();
      for (const line of lines) expect(parse(line.frame as string), line.name).toEqual(line.expect);
    });

    it('names evidence for every fixture that is not invented', () => {
      for (const line of lines)
        expect(line.name.startsWith('invented-') || /\[[A-Z]/.test(line.follows), line.name).toBe(true);
    });

    it('never throws on garbage, and never yields a non-finite number', () => {
      const parse = open();
      fc.assert(
        fc.property(mutated(lines.map((line) => line.frame as string)), (text) => assertFinite(parse(text))),
        { numRuns: runs(1000), seed: 2 },
      );
    });

    it.each(refillLines(id, feed))('is refilled: $name', (line) => {
      const { known = {}, key = '' } = line;
      const parse = (): unknown => feed.refill?.parse(line.body, 0, known, key);
      if (line.expectMalformed !== undefined) expect(parse).toThrow(new Malformed(line.expectMalformed));
      else if (line.expectDeclined !== undefined) expect(parse).toThrow(declined(line.expectDeclined));
      else expect(parse()).toEqual(line.expect);
      expect(line.name.startsWith('invented-') || /\[[A-Z]/.test(line.follows)).toBe(true);
    });

    it.each(pastLines(id, feed))('requests missing trades: $name', (line) => {
      const past = feed.past as TradeRefill;
      const gap = line.gap as TradeGap;
      const request = past.request(gap);
      const body = line.fullAt === undefined ? line.body : filled(line.body, line.fullAt, past.rowsMax);
      const parse = (): TradePage => past.parse(body, gap, line.path ?? request.path);
      expect(line.name.startsWith('invented-') || /\[[A-Z]/.test(line.follows)).toBe(true);
      if (line.expectMalformed !== undefined)
        return expect(parse).toThrow(new Malformed(line.expectMalformed));
      if (line.expectDeclined !== undefined) return expect(parse).toThrow(declined(line.expectDeclined));
      const { trades, ...rest } = parse();
      if (line.fullAt === undefined) expect({ request, trades, ...rest }).toEqual(line.expect);
      else expect([trades.length, rest]).toEqual([past.rowsMax, line.expect]);
    });

    it('either understands an answer with missing trades or calls it malformed', () => {
      const { past } = feed;
      const answers = pastLines(id, feed);
      const { gap } = answers[0] ?? {};
      if (!past || !gap) return;
      fc.assert(
        fc.property(mutated(answers.map(({ body }) => JSON.stringify(body))), (text) => {
          try {
            assertFinite(past.parse(JSON.parse(text), gap, past.request(gap).path));
          } catch (error) {
            const isRefused = error instanceof Malformed || error instanceof Declined;
            expect(isRefused || error instanceof SyntaxError).toBe(true);
          }
        }),
        { numRuns: runs(500), seed: 3 },
      );
    });

    it('names as many topics in a frame as it may, and leaves them with another frame', () => {
      const coins = ['BTC', 'ETH', 'SOL'];
      const listed = coins.map((coin) => ({ coin, symbol: coin }));
      const topics = feed.topics(listed, coins).slice(0, feed.topicsPerFrame ?? 1);
      expect(topics.length).toBeGreaterThan(0);
      const frame = feed.subscribe(topics);
      expect(frame).not.toBe(feed.unsubscribe(topics));
      if (topics.length > 1)
        for (const topic of topics) expect(frame.toLowerCase()).toContain(topic.toLowerCase());
    });
  });
});

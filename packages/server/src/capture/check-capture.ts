import {
  type Connector,
  type Feed,
  feedsOf,
  type Known,
  type Page,
  readablePublishers,
  requestsOf,
  type RequestSource,
} from '@crosstape/venues';
import { answerAgeMs } from '../ingest/answer-age.ts';
import { parseRequested } from '../ingest/parse-body.ts';
import { readFrame } from '../ingest/read-frame.ts';
import type { FieldInventory } from './field-inventory.ts';
import {
  type AnswerLine,
  type CapturedBody,
  type CaptureLine,
  type ConnectLine,
  decodeBody,
  type InLine,
  type RequestLine,
} from './format.ts';
import { SourceCounter, type SourceReport } from './source-report.ts';
import type { TableName, Tables } from '@crosstape/core';

type Rows = readonly Tables[TableName][];

/** The tables of one venue from its captured answers, for parsers that need other tables. */
class CapturedTables {
  /** Rows by table, then by source, or by key for a lookup. */
  readonly #parts = new Map<TableName, Map<string, Rows>>();
  /** Pages of an incomplete answer, by source. */
  readonly #pages = new Map<string, Page[]>();
  #known: Known = {};

  get known(): Known {
    return this.#known;
  }

  /** The pages of a source fill its tables together, after the last one. */
  put({ name, gives, firstPath }: RequestSource, key: string, page: Page): void {
    if (firstPath === undefined) return this.#put(gives, `${name} ${key}`, [page]);
    const before = key === firstPath ? [] : (this.#pages.get(name) ?? []);
    const pages = [...before, page];
    if (page.more) {
      this.#pages.set(name, pages);
      return;
    }
    this.#pages.delete(name);
    this.#put(gives, name, pages);
  }

  #put(gives: readonly TableName[], part: string, pages: readonly Page[]): void {
    for (const table of gives) {
      const parts = this.#parts.get(table) ?? new Map<string, Rows>();
      parts.set(
        part,
        pages.flatMap((page): Rows => page[table] ?? []),
      );
      this.#parts.set(table, parts);
      this.#known = { ...this.#known, [table]: [...parts.values()].flat() };
    }
  }
}

interface OpenSocket {
  readonly counter: SourceCounter;
  readonly parse: ReturnType<Feed['open']> | undefined;
}

type Publishers = readonly { readonly id: string; readonly connector?: Connector }[];

/** Runs everything in a capture through the parsers, in order of arrival. */
export class CaptureCheck {
  readonly #connectors: ReadonlyMap<string, Connector>;
  readonly #tables = new Map<string, CapturedTables>();
  readonly #counters = new Map<string, SourceCounter>();
  /** Requests not answered yet. */
  readonly #requests = new Map<number, RequestLine>();
  readonly #sockets = new Map<number, OpenSocket>();

  constructor(publishers: Publishers = readablePublishers) {
    this.#connectors = new Map(
      publishers.flatMap(({ id, connector }) => (connector ? [[id, connector] as const] : [])),
    );
  }

  add(line: CaptureLine): void {
    switch (line.type) {
      case 'request':
        this.#requests.set(line.id, line);
        break;
      case 'answer':
      case 'failure': {
        const request = this.#requests.get(line.id);
        this.#requests.delete(line.id);
        if (request && line.type === 'answer') this.#answer(request, line);
        else if (request && line.type === 'failure') this.#counter(request).fail(line.reason);
        break;
      }
      case 'connect':
        this.#sockets.set(line.socket, this.#connect(line));
        break;
      case 'refused':
        this.#sockets.get(line.socket)?.counter.fail(`handshake: HTTP ${line.status}`);
        break;
      case 'in': {
        const socket = this.#sockets.get(line.socket);
        if (socket) readInto(socket, line);
        break;
      }
      case 'close':
        this.#sockets.delete(line.socket);
        break;
      default:
    }
  }

  /** In the order of the sources' names. */
  report(samples: Readonly<Record<string, FieldInventory>>): readonly SourceReport[] {
    const named = [...this.#counters].toSorted(([a], [b]) => (a < b ? -1 : 1));
    return named.map(([, counter]) => counter.report(samples));
  }

  #answer(request: RequestLine, { t, status, headers, body }: AnswerLine): void {
    const { venue, source: name, key, path, question } = request;
    const counter = this.#counter(request);
    const connector = this.#connectors.get(venue);
    const source = connector && requestsOf(connector).find((one) => one.name === name);
    if (!source) return counter.fail('this version has no such source');
    const hasBody = (status >= 200 && status < 300) || source.acceptedStatuses(key, t).includes(status);
    if (!hasBody) return counter.fail(`HTTP ${status}`);
    const tables = this.#tablesOf(venue);
    // As the service does it: undated values are as old as the cache that answered.
    const receivedAtMs = t - answerAgeMs(headers.age);
    const asked = { receivedAtMs, known: tables.known, key, path, question };
    const parsed = parseRequested(source, decodeBody(body), asked);
    if ('declined' in parsed) return counter.fail(`declined: ${parsed.declined.why}`);
    countFields(counter, body);
    if ('malformed' in parsed) return counter.refuse(parsed.malformed);
    counter.accept(parsed.page.refused);
    tables.put(source, key, parsed.page);
  }

  #connect({ venue, feed: name }: ConnectLine): OpenSocket {
    const counter = this.#counter({ venue, source: name });
    const connector = this.#connectors.get(venue);
    const feed = (connector ? feedsOf(connector) : []).find((one) => one.name === name);
    if (!feed) counter.fail('this version has no such feed');
    return { counter, parse: feed?.open(() => this.#tablesOf(venue).known) };
  }

  #tablesOf(venue: string): CapturedTables {
    const tables = this.#tables.get(venue) ?? new CapturedTables();
    this.#tables.set(venue, tables);
    return tables;
  }

  #counter({ venue, source }: { readonly venue: string; readonly source: string }): SourceCounter {
    const name = `${venue}:${source}`;
    const counter = this.#counters.get(name) ?? new SourceCounter(name);
    this.#counters.set(name, counter);
    return counter;
  }
}

function readInto({ counter, parse }: OpenSocket, { body }: InLine): void {
  if (!parse) return;
  const frame = readFrame(parse, decodeBody(body));
  countFields(counter, body, frame.kind);
  // After a gap the books of a connection start again; the reader judges why there was one.
  if (frame.kind === 'refused' || frame.kind === 'bookGap') counter.refuse(frame.why);
  else counter.accept('refused' in frame ? frame.refused : undefined);
}

function countFields(counter: SourceCounter, body: CapturedBody, frameKind?: string): void {
  try {
    if ('text' in body) counter.countFields(JSON.parse(body.text), frameKind);
  } catch {
    // A page or a plain text has no fields.
  }
}

import type { TableName } from '@crosstape/core';
import type { TradeGap } from './market-feeds.ts';
import type { CandleSpan } from './venue-candles.ts';
import type { OptionTradeSpan } from './venue-option-trades.ts';
import type { SampleSpan } from './venue-samples.ts';
import type { Connector, Feed, Known, Page } from './venue.ts';

/** What was requested, as far as a parser needs it. */
export interface ParseRequest {
  readonly receivedAtMs: number;
  readonly known: Known;
  /** Of a lookup what was requested, of a resource the path of the page. */
  readonly key: string;
  readonly path: string;
  /** Of past trades the gap; of candles, samples and trades of options the span. */
  readonly question?: unknown;
}

/** One kind of request of a connector. */
export interface RequestSource {
  readonly name: string;
  /** The tables that an answer fills. */
  readonly gives: readonly TableName[];
  readonly format?: 'text';
  /** Of an answer that may come in pages: the path of the first one. */
  readonly firstPath?: string;
  /** HTTP statuses besides success that come with an answer. */
  acceptedStatuses(key: string, nowMs: number): readonly number[];
  /** Throws as a resource does. */
  parse(body: unknown, asked: ParseRequest): Partial<Page>;
}

/** Everything that a connector subscribes to. Names are unique within a connector. */
export function feedsOf({ feeds, marketTrades, marketBooks }: Connector): readonly Feed[] {
  return [...feeds, ...(marketTrades ? [marketTrades] : []), ...(marketBooks ? [marketBooks] : [])];
}

/** Everything that a connector requests. Names are unique within a connector. */
export function requestsOf(connector: Connector): readonly RequestSource[] {
  const { resources, lookups = [], feeds, marketTrades, candles, histories = [], optionTrades } = connector;
  const past = marketTrades?.past;
  const plain = { gives: [], acceptedStatuses: () => [] };
  return [
    ...resources.map((resource) => ({
      name: resource.name,
      gives: resource.gives,
      firstPath: resource.request.path,
      ...(resource.format && { format: resource.format }),
      acceptedStatuses: () => resource.request.acceptedStatuses ?? [],
      parse: (body: unknown, { receivedAtMs, known, key }: ParseRequest) =>
        resource.parse(body, receivedAtMs, known, key),
    })),
    ...lookups.map((lookup) => ({
      name: lookup.name,
      gives: lookup.gives,
      acceptedStatuses: (key: string, nowMs: number) => lookup.request(key, nowMs).acceptedStatuses ?? [],
      parse: (body: unknown, { receivedAtMs, known, key }: ParseRequest) =>
        lookup.parse(body, receivedAtMs, known, key),
    })),
    ...feeds.flatMap(({ refill }) =>
      refill
        ? {
            ...plain,
            name: refill.name,
            parse: (body: unknown, { receivedAtMs, known, key }: ParseRequest) =>
              refill.parse(body, receivedAtMs, known, key),
          }
        : [],
    ),
    ...(past
      ? [
          {
            ...plain,
            name: past.name,
            parse: (body: unknown, { question, path }: ParseRequest) =>
              past.parse(body, question as TradeGap, path),
          },
        ]
      : []),
    ...(candles
      ? [
          {
            ...plain,
            name: candles.name,
            parse: (body: unknown, { question }: ParseRequest) => candles.parse(body, question as CandleSpan),
          },
        ]
      : []),
    ...histories.map((samples) => ({
      ...plain,
      name: samples.name,
      parse: (body: unknown, { question }: ParseRequest) => samples.parse(body, question as SampleSpan),
    })),
    ...(optionTrades
      ? [
          {
            ...plain,
            name: optionTrades.name,
            parse: (body: unknown, { question }: ParseRequest) =>
              optionTrades.parse(body, question as OptionTradeSpan),
          },
        ]
      : []),
  ];
}

import type { CandleSource } from '../ingest/candle-client.ts';
import type { OptionTradeSource } from '../ingest/option-trades-client.ts';
import type { SampleSource } from '../ingest/sample-client.ts';
import type { Upstream } from '../upstream.ts';

type Captured = Pick<Upstream, 'captured'>;

/** In a replay: candles of the captured markets. Others have none, and none are requested. */
export function capturedCandles({ captured }: Captured, source: CandleSource): CandleSource {
  if (!captured) return source;
  const { publisher, candles, weightPerMinute } = source;
  const has = symbolsOf(captured, `${publisher.id} ${candles.name} `);
  return {
    publisher,
    candles,
    weightPerMinute,
    read: async (span) => (has.has(span.market.symbol) ? source.read(span) : []),
  };
}

/** The same for past open interest and funding. */
export function capturedSamples({ captured }: Captured, source: SampleSource): SampleSource {
  if (!captured) return source;
  const { publisher, samples, weightPerMinute } = source;
  const has = symbolsOf(captured, `${publisher.id} ${samples.name} `);
  return {
    publisher,
    samples,
    weightPerMinute,
    read: async (span) =>
      has.has(span.market.symbol) ? source.read(span) : { samples: [], fromMs: span.fromMs },
  };
}

/** The same for trades of options: only captured books are requested. */
export function capturedOptionTrades({ captured }: Captured, source: OptionTradeSource): OptionTradeSource {
  if (!captured) return source;
  const { publisher, trades } = source;
  const has = symbolsOf(captured, `${publisher.id} ${trades.name} `);
  const books = trades.books.filter((book) => has.has(book));
  return { publisher, trades: { ...trades, books }, read: (span) => source.read(span) };
}

function symbolsOf(captured: readonly string[], start: string): ReadonlySet<string> {
  return new Set(captured.filter((one) => one.startsWith(start)).map((one) => one.slice(start.length)));
}

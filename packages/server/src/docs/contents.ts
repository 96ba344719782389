/** A page of the documentation: a file of the folder `docs`, served as HTML and as it is. */
export interface Entry {
  /** Below `/docs/`. */
  readonly slug: string;
  /** In the folder `docs`. */
  readonly file: string;
  readonly title: string;
  /** One line, for the list of pages. */
  readonly about: string;
}

export interface Chapter {
  readonly title: string;
  readonly entries: readonly Entry[];
}

function entry(file: string, title: string, about: string): Entry {
  return { slug: file.replace(/^guides\/|\.md$/g, ''), file, title, about };
}

/** Every page that is served, in the order of reading. */
export const contents: readonly Chapter[] = [
  {
    title: 'Guides',
    entries: [
      entry(
        'guides/first-five-minutes.md',
        'First five minutes',
        'start the service, call the API, follow a stream, get a key',
      ),
      entry('guides/endpoints.md', 'Endpoints at a glance', 'all endpoints and the CLI'),
      entry(
        'guides/streams-and-resume.md',
        'Streams and resume',
        'live events that survive a lost connection',
      ),
      entry('guides/order-book-deltas.md', 'Order-book deltas', 'a local book, verified by keyframes'),
      entry(
        'guides/bars.md',
        'Historical and live bars',
        'seven bar types, built from history and continued live',
      ),
      entry('candles.md', 'Candles', 'candles of every recorded market, for years'),
      entry('tools.md', 'Integrations', 'TradingView, aggr, OpenBB, Prometheus, spreadsheets and pandas'),
      entry('guides/packed-formats.md', 'Packed formats', 'recorded trades in a compact columnar format'),
      entry('mcp.md', 'MCP', 'tools for agents: add it to a client, every tool and field'),
      entry('python.md', 'Python', 'DataFrames of trades and bars, live streams, five notebooks'),
      entry(
        'lake.md',
        'Arrow and Parquet',
        'files and streams of columns for DuckDB, Polars, pandas and flowsurface',
      ),
      entry('archive.md', 'The archive', 'permanent storage of every day in a folder or bucket'),
      entry(
        'guides/check-us.md',
        'Verify the data',
        'compare recorded data with venue candles and on-chain fills',
      ),
      entry('guides/units-and-conventions.md', 'Units and conventions', 'units of all fields'),
      entry('guides/production.md', 'Running in production', 'from a checkout to a public service'),
      entry(
        'guides/capture.md',
        'Capture and replay',
        'record, check and replay the raw traffic of the venues',
      ),
    ],
  },
  {
    title: 'Reference',
    entries: [
      entry('reference.md', 'REST', 'every path, parameter and field'),
      entry('websocket.md', 'WebSocket', 'the gateway: every channel, frame and field'),
      entry('records.md', 'Records', 'every field of every record'),
      entry('errors.md', 'Errors', 'every code, and when to retry'),
      entry('keys.md', 'Keys and quotas', 'what a key changes, and every limit'),
      entry('sources.md', 'Sources', 'who supplies the data, terms and attribution'),
    ],
  },
  {
    title: 'How it works',
    entries: [
      entry('flows.md', 'Flows', 'spreads, premium, pressure and signals, formula by formula'),
      entry('order-book.md', 'The order book', 'where its levels come from'),
      entry('inferred-liquidations.md', 'Inferred liquidations', 'the rule, and how accurate it is'),
      entry('security.md', 'Security', 'threat model, and the test behind each claim'),
      entry('memory.md', 'Memory', 'what uses memory, and how to measure it'),
      entry('scaling.md', 'Scaling', 'roles that share a Redis'),
      entry('formats.md', 'Formats', 'chunks and packs byte by byte'),
      entry('simulator.md', 'The simulator', 'a seeded market that speaks the venues’ protocols'),
    ],
  },
];

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
      entry('guides/first-five-minutes.md', 'First five minutes', 'start it, ask it, follow it, get a key'),
      entry('guides/streams-and-resume.md', 'Streams and resume', 'live events that survive a lost line'),
      entry('guides/order-book-deltas.md', 'Order-book deltas', 'a local book that proves itself'),
      entry('guides/bars.md', 'Bars from history to live', 'seven kinds of bars, built once, carried on'),
      entry('guides/packed-formats.md', 'Packed formats', 'a week of trades in compact columns'),
      entry('guides/units-and-conventions.md', 'Units and conventions', 'what every number is in'),
      entry('guides/production.md', 'Running in production', 'from a checkout to a public service'),
      entry(
        'guides/capture.md',
        'Capture and replay',
        'raw traffic of the venues: recorded, checked, played again',
      ),
    ],
  },
  {
    title: 'Reference',
    entries: [
      entry('websocket.md', 'WebSocket', 'the gateway: every channel, frame and field'),
      entry('records.md', 'Records', 'every field of every record'),
      entry('errors.md', 'Failures', 'every code, and when to try again'),
      entry('keys.md', 'Keys and quotas', 'what a key is good for, limits of all kinds'),
      entry('sources.md', 'Sources', 'who supplies the data, terms and attribution'),
    ],
  },
  {
    title: 'How it works',
    entries: [
      entry('flows.md', 'Flows', 'spreads, premium, pressure and signals, formula by formula'),
      entry('order-book.md', 'The order book', 'where its levels come from'),
      entry('inferred-liquidations.md', 'Inferred liquidations', 'the rule, and how good it is'),
      entry('security.md', 'Security', 'threat model, and the test behind each promise'),
      entry('memory.md', 'Memory', 'what the service holds, and how to measure it'),
      entry('scaling.md', 'Growing past one machine', 'roles that share a Redis'),
      entry('formats.md', 'Formats', 'chunks and packs byte by byte'),
      entry('simulator.md', 'The simulator', 'a seeded market that speaks the venues’ wires'),
    ],
  },
];

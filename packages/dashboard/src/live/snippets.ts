import { addressOf } from '@crosstape/client';
import type { Topic } from './topic.ts';

/** Code that gets a panel's data, ready to be pasted. */
export interface Snippet {
  readonly title: string;
  readonly text: string;
}

const imports = (root: string): string =>
  `import { Client } from '@crosstape/client';\nconst client = new Client({ url: '${root}' });\n`;

/** The very calls behind a topic. */
export function snippetsOf(topic: Topic, root: string): readonly Snippet[] {
  if (topic.from === 'rest') {
    const query = Object.keys(topic.query).length > 0 ? `, ${literal(topic.query)}` : '';
    return [
      { title: 'curl', text: `curl '${addressOf(root, topic.path, topic.query)}'` },
      {
        title: 'TypeScript',
        text: `${imports(root)}const { data, meta } = await client.get('${topic.path}'${query});`,
      },
    ];
  }
  if (topic.from === 'service') {
    return [
      { title: 'curl', text: `curl '${root}/healthz' '${root}/readyz'` },
      {
        title: 'TypeScript',
        text: `${imports(root)}console.log(await client.health(), await client.readiness());`,
      },
    ];
  }
  if (topic.from === 'stream') {
    const query = Object.keys(topic.query).length > 0 ? `, ${literal(topic.query)}` : '';
    return [
      { title: 'curl', text: `curl -N '${addressOf(root, topic.path, topic.query)}'` },
      {
        title: 'TypeScript',
        text: `${imports(root)}for await (const item of client.stream('${topic.path}'${query})) console.log(item);`,
      },
    ];
  }
  if (topic.from === 'footprints') {
    const { coin, market, interval } = topic.spec;
    const name = market === undefined ? { symbol: coin } : { market };
    return [
      {
        title: 'Socket frame',
        text: JSON.stringify({ op: 'subscribe', id: 1, channel: 'footprint', ...name, interval }),
      },
      {
        title: 'TypeScript',
        text: `${imports(root)}import { liveFootprints } from '@crosstape/client/bars';\nfor await (const bars of liveFootprints(client, ${literal(topic.spec)})) console.log(bars);`,
      },
      { title: 'Address', text: socketOf(root) },
    ];
  }
  if (topic.from === 'prints') {
    const { coin, market, ...range } = topic.spec;
    const query = { ...(market === undefined ? { coin } : { market }), ...range };
    return [
      { title: 'curl', text: `curl '${addressOf(root, '/perps/trades/history', query)}'` },
      {
        title: 'TypeScript',
        text: `${imports(root)}for await (const { ticks } of client.ticks('${coin}', ${literal({ market, ...range })})) console.log(ticks.length);`,
      },
    ];
  }
  if (topic.from === 'bars' && 'interval' in topic.spec) {
    return [
      { title: 'curl', text: `curl '${addressOf(root, '/candles', { ...topic.spec })}'` },
      {
        title: 'TypeScript',
        text: `${imports(root)}import { liveCandles } from '@crosstape/client/bars';\nfor await (const { closed, open } of liveCandles(client, ${literal(topic.spec)})) console.log(closed.length, open);`,
      },
      {
        title: 'Socket frame',
        text: JSON.stringify({ op: 'subscribe', id: 1, channel: 'trades', market: topic.spec.market }),
      },
      { title: 'Address', text: socketOf(root) },
    ];
  }
  if (topic.from === 'bars' || topic.from === 'build') {
    const body = JSON.stringify(topic.spec);
    return [
      {
        title: 'curl',
        text: `curl -X POST '${addressOf(root, '/perps/rotations/build')}' -H 'Content-Type: application/json' -d '${body}'`,
      },
      {
        title: 'TypeScript',
        text: `${imports(root)}import { liveBars } from '@crosstape/client/bars';\nfor await (const { closed, open } of liveBars(client, ${literal(topic.spec)})) console.log(closed.length, open);`,
      },
      { title: 'Socket frame', text: JSON.stringify({ op: 'build', id: 1, ...topic.spec }) },
    ];
  }
  const { symbol } = topic;
  const channel = topic.from === 'book' ? 'orderbook' : topic.channel;
  const market = topic.from === 'book' && topic.market !== undefined && { market: topic.market };
  const params = topic.from === 'book' ? { mode: 'delta', ...market } : topic.params;
  // A market takes the place of the symbol.
  const name = 'market' in params ? {} : { symbol };
  const frame = JSON.stringify({ op: 'subscribe', id: 1, channel, ...name, ...params });
  const extra = Object.keys(params).length > 0 ? `, ${literal(params)}` : '';
  const loop =
    topic.from === 'book'
      ? `import { followBook } from '@crosstape/client';\nfor await (const book of followBook(client, '${symbol}'${market ? `, ${literal(market)}` : ''})) console.log(book.bids[0], book.asks[0]);`
      : `for await (const item of client.follow('${channel}', '${symbol}'${extra})) console.log(item);`;
  return [
    { title: 'Socket frame', text: frame },
    { title: 'TypeScript', text: imports(root) + loop },
    { title: 'Address', text: socketOf(root) },
  ];
}

function socketOf(root: string): string {
  return `${root.replace(/^http/, 'ws')}/ws/v1`;
}

/** As a person would write it. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value === 'string') return `'${value}'`;
  if (typeof value !== 'object' || value === null) return String(value);
  const fields = Object.entries(value).map(([name, one]) => `${name}: ${literal(one)}`);
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}

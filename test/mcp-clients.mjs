/**
 * Calls a service with the official MCP clients of both revisions and prints what they received:
 * `node test/mcp-clients.mjs http://127.0.0.1:8080/mcp`. Each client validates every answer by its own schemas.
 */
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const url = new URL(process.argv[2]);
/** Arguments for every tool. */
const calls = {
  explain: { endpoint: '/options/gex', field: 'callOi' },
  get_bars: { market: 'BTC', max_rows: 5 },
  get_coverage: { market: 'hyperliquid:BTC' },
  get_flow: { coin: 'BTC' },
  get_funding: { coin: 'BTC' },
  get_large_prints: { coin: 'BTC' },
  get_liquidations: { coin: 'BTC' },
  get_open_interest: { coin: 'BTC' },
  get_option_levels: { underlying: 'BTC' },
  market_brief: { coin: 'BTC' },
  search_markets: { query: 'BTC' },
};
const info = { name: 'witness', version: '1.0.0' };

async function use(client, transport) {
  await client.connect(transport);
  const { tools } = await client.listTools();
  const results = {};
  for (const [name, given] of Object.entries(calls)) {
    const { isError, structuredContent, content } = await client.callTool({ name, arguments: given });
    if (isError) throw new Error(`${name}: ${content[0].text}`);
    results[name] = structuredContent;
  }
  const read = async ({ uri }) => (await client.readResource({ uri })).contents[0].text;
  const seen = {
    server: client.getServerVersion(),
    version: client.getNegotiatedProtocolVersion?.(),
    tools: tools.map(({ name }) => name),
    called: Object.keys(results),
    coverage: results.get_coverage,
    gamma: results.get_option_levels,
    refused: await client.callTool({ name: 'get_funding', arguments: { coin: 'NOSUCH' } }),
    read: await read((await client.listResources()).resources[0]),
    prompts: (await client.listPrompts()).prompts.map(({ name }) => name),
    prompt: (await client.getPrompt({ name: 'morning_brief', arguments: { coin: 'ETH' } })).messages.length,
  };
  if (client.listen) {
    const subscription = await client.listen({
      resourceSubscriptions: ['crosstape://coverage/hyperliquid:BTC'],
    });
    seen.subscribed = subscription.honoredFilter;
    await subscription.close();
  }
  await client.close();
  return seen;
}

const modern = new ModernClient(info, { versionNegotiation: { mode: 'auto' } });
const out = {
  modern: await use(modern, new ModernTransport(url)),
  legacy: await use(new LegacyClient(info), new LegacyTransport(url)),
};
process.stdout.write(`${JSON.stringify(out)}\n`);

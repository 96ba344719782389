import { publishSampleFlows } from '../packages/server/src/api/testing/sample-flows.ts';
import { publishSampleMarket, samplePrints } from '../packages/server/src/api/testing/sample-market.ts';
import { publishSampleOptions } from '../packages/server/src/api/testing/sample-options.ts';
import { startTestApi } from '../packages/server/src/api/testing/test-api.ts';
import { perpVenueIds } from '../packages/server/src/features/markets/venue-ids.ts';

/**
 * What a call over MCP costs above the REST request for the same figures: processor time of service and caller
 * together, over loopback, both sides in this process.
 */
const LIMIT_MS = 5;
const calls = Number(process.env.CALLS ?? 300);
const venues = perpVenueIds.join(',');

const pairs = [
  { tool: 'get_open_interest', given: { coin: 'BTC' }, path: `/perps/oi?coins=BTC&venues=${venues}` },
  { tool: 'get_funding', given: { coin: 'BTC' }, path: `/perps/funding?coins=BTC&venues=${venues}` },
  { tool: 'get_option_levels', given: { underlying: 'BTC' }, path: '/options/gex?underlying=BTC' },
  { tool: 'get_flow', given: { coin: 'BTC' }, path: '/flows/summary?coins=BTC' },
  { tool: 'get_large_prints', given: { coin: 'BTC' }, path: '/perps/whales?coin=BTC&limit=50' },
] as const;

const api = await startTestApi({ prints: samplePrints, settings: { quota: 'off', trustProxy: false } });
publishSampleMarket(api);
publishSampleOptions(api);
publishSampleFlows(api);

/** Over a kept connection: the service limits how many an address may open. */
async function request(path: string, init: RequestInit = {}): Promise<{ readonly status: number }> {
  const response = await fetch(`http://127.0.0.1:${api.port}${path}`, init);
  await response.arrayBuffer();
  return response;
}

async function cpuMs(run: () => Promise<{ readonly status: number }>): Promise<number> {
  for (let i = 0; i < calls / 5; i += 1) await run();
  const before = process.cpuUsage();
  for (let i = 0; i < calls; i += 1) {
    const { status } = await run();
    if (status !== 200) throw new Error(`a call was answered with ${status}`);
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / calls;
}

const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
let worst = 0;
for (const { tool, given, path } of pairs) {
  const params = { name: tool, arguments: given };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const rest = await cpuMs(() => request(`/api/v1${path}`));
  const mcp = await cpuMs(() => request('/mcp', { method: 'POST', headers, body }));
  worst = Math.max(worst, mcp - rest);
  console.log(`${tool.padEnd(20)} MCP ${mcp.toFixed(2)} ms, REST ${rest.toFixed(2)} ms`);
}
await api.close();
console.log(`most above REST: ${worst.toFixed(2)} ms of CPU per call (limit: ${LIMIT_MS})`);
if (worst > LIMIT_MS) process.exitCode = 1;

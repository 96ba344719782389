import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { McpRig, MODERN } from './testing/mcp-rig.ts';
import { tools } from './tools.ts';

let rig: McpRig;
beforeAll(async () => {
  rig = await McpRig.open();
});
afterAll(() => rig.close());

it('is understood by the official clients of both revisions', async () => {
  const program = fileURLToPath(new URL('../../../../../test/mcp-clients.mjs', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [
    program,
    `http://127.0.0.1:${rig.api.port}/mcp`,
  ]);
  const seen = JSON.parse(stdout) as Record<'modern' | 'legacy', Record<string, unknown>>;
  const gex = await rig.rest<{ gammaFlip: number }>('/options/gex?underlying=BTC');
  for (const one of [seen.modern, seen.legacy]) {
    expect(one).toMatchObject({
      server: { name: 'crosstape' },
      tools: tools.map(({ name }) => name),
      coverage: { market: 'hyperliquid:BTC', coverage: 'partial' },
      gamma: { asOf: gex.fetchedAt, gammaFlip: gex.data.gammaFlip },
      called: tools.map(({ name }) => name).toSorted(),
      refused: { isError: true },
      read: '# Python\n',
      prompts: ['morning_brief', 'why_did_it_move'],
      prompt: 1,
    });
  }
  expect(seen.modern.subscribed).toEqual({ resourceSubscriptions: ['crosstape://coverage/hyperliquid:BTC'] });
  expect(seen.modern.version).toBe(MODERN);
});

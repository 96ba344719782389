import { createInterface } from 'node:readline';
import { relay } from '../../features/mcp/relay.ts';
import { UsageError } from '../../settings/read-settings.ts';
import type { Command } from '../command.ts';
import { readRemote, remoteHelp } from './read-remote.ts';

const TIMEOUT_MS = 60_000;

const help = `crosstape mcp [--url URL] [--api-key KEY]

Serves the tools of a running service on stdin and stdout, for MCP clients that start programs. Clients that speak HTTP
use the address /mcp of the service itself.

${remoteHelp}

Examples:
  crosstape mcp
  crosstape mcp --url https://tape.example.org`;

/** The Model Context Protocol on stdin and stdout. */
export const mcp: Command = {
  name: 'mcp',
  summary: 'serve MCP tools on stdin and stdout, from a running service',
  help: () => help,
  async run(args, terminal) {
    const { url, apiKey, words, flags } = readRemote(args, terminal);
    const [extra] = [...words, ...Object.keys(flags)];
    if (extra !== undefined) throw new UsageError(`unexpected ${extra}; crosstape help mcp shows the use`);
    const address = new URL('/mcp', url);
    const own = {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...(apiKey !== '' && { 'X-API-Key': apiKey }),
    };
    const lines = createInterface({ input: process.stdin });
    void terminal.stopSignal().then(() => lines.close());
    await relay(
      lines,
      async (body, headers) => {
        const signal = AbortSignal.timeout(TIMEOUT_MS);
        const response = await fetch(address, {
          method: 'POST',
          headers: { ...own, ...headers },
          body,
          signal,
        });
        return { status: response.status, text: await response.text() };
      },
      terminal.out,
    );
    return 0;
  },
};

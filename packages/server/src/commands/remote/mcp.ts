import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { type Listen, relay, type Send } from '../../features/mcp/relay.ts';
import { UsageError } from '../../settings/read-settings.ts';
import type { Command } from '../command.ts';
import { readRemote, remoteHelp } from './read-remote.ts';

const TIMEOUT_MS = 60_000;
/** Prefix of the line of an event that carries a message. */
const DATA = 'data: ';

const help = `crosstape mcp [--url URL] [--api-key KEY]

Serves the tools of a running service on stdin and stdout, for MCP clients that start programs. Clients that speak HTTP
use the address /mcp of the service itself.

${remoteHelp}

Examples:
  crosstape mcp
  crosstape mcp --url https://tape.example.org`;

/** The MCP endpoint of a service, which may be below a path of its host. */
export function mcpAddress(url: string): URL {
  return new URL('mcp', url.endsWith('/') ? url : `${url}/`);
}

/** The Model Context Protocol over stdin and stdout. */
export const mcp: Command = {
  name: 'mcp',
  summary: 'bridge MCP over stdio to a running service',
  help: () => help,
  async run(args, terminal) {
    const { url, apiKey, words, flags } = readRemote(args, terminal);
    const [extra] = [...words, ...Object.keys(flags)];
    if (extra !== undefined) throw new UsageError(`unexpected argument ${extra}; see crosstape help mcp`);
    const address = mcpAddress(url);
    const own = {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...(apiKey !== '' && { 'X-API-Key': apiKey }),
    };
    const lines = createInterface({ input: process.stdin });
    void terminal.stopSignal().then(() => lines.close());
    const post = (body: string, headers: Readonly<Record<string, string>>, signal: AbortSignal) =>
      fetch(address, { method: 'POST', headers: { ...own, ...headers }, body, signal });
    const send: Send = async (body, headers) => {
      const response = await post(body, headers, AbortSignal.timeout(TIMEOUT_MS));
      return { status: response.status, text: await response.text() };
    };
    const listen: Listen = async (body, headers, onMessage, signal) => {
      const response = await post(body, headers, signal);
      if (!response.body || !response.headers.get('Content-Type')?.startsWith('text/event-stream'))
        return onMessage(await response.text());
      for await (const line of createInterface({ input: Readable.fromWeb(response.body) })) {
        if (line.startsWith(DATA)) onMessage(line.slice(DATA.length));
      }
    };
    await relay(lines, { send, listen }, terminal.out);
    return 0;
  },
};

import { Client } from '@crosstape/client';
import { WebSocket } from 'ws';
import { UsageError } from '../../settings/read-settings.ts';
import type { Terminal } from '../command.ts';

const LOCAL = 'http://127.0.0.1:8080';

/** What every command that talks to a running service takes. */
export const remoteHelp = `  --url (CROSSTAPE_URL; ${LOCAL})    the service to ask
  --api-key (CROSSTAPE_API_KEY)      a key, where its limits are wanted; better as the variable
  --json                             what the service says, unchanged`;

export interface RemoteLine {
  readonly client: Client;
  readonly url: string;
  readonly words: readonly string[];
  /** Every other flag, spelled as the interface spells parameters: `--min-usd` is `minUsd`. */
  readonly flags: Readonly<Record<string, string>>;
  readonly isJson: boolean;
}

/** Reads a command line whose flags are the service's own parameters: it knows what they mean, and says so. */
export function readRemote(args: readonly string[], { environment }: Terminal): RemoteLine {
  const words: string[] = [];
  const flags: Record<string, string> = {};
  let isJson = false;
  for (let i = 0; i < args.length; i += 1) {
    const arg = args[i] as string;
    if (!arg.startsWith('--')) {
      words.push(arg);
      continue;
    }
    if (arg === '--json') {
      isJson = true;
      continue;
    }
    const [, flag = '', inline] = /^--([^=]+)(?:=(.*))?$/s.exec(arg) ?? [];
    const value = inline ?? args[(i += 1)];
    if (flag === '' || value === undefined) throw new UsageError(`${arg} needs a value`);
    const name = flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
    if (flags[name] !== undefined) throw new UsageError(`--${flag} is given twice; give it once`);
    flags[name] = value;
  }
  const { url = environment.CROSSTAPE_URL ?? LOCAL, apiKey = environment.CROSSTAPE_API_KEY, ...rest } = flags;
  if (!/^https?:\/\/\S+$/.test(url))
    throw new UsageError(`--url must be an http or https address, not "${url}"`);
  const key = apiKey === undefined || apiKey === '' ? {} : { apiKey };
  // Node 20 has no socket of its own.
  const client = new Client({ url, ...key, WebSocket: WebSocket as never });
  return { client, url, words, flags: rest, isJson };
}

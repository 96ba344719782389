import { Client } from '@crosstape/client';
import { WebSocket } from 'ws';
import { UsageError } from '../../settings/read-settings.ts';
import type { Terminal } from '../command.ts';

const LOCAL = 'http://127.0.0.1:8080';

/** Flags of every command that talks to a running service. */
export const remoteHelp = `  --url (CROSSTAPE_URL; ${LOCAL})    the service to ask
  --api-key (CROSSTAPE_API_KEY)      a key, where its limits are wanted; better as the variable
  --json                             what the service says, unchanged`;

export interface RemoteLine<Value = string> {
  readonly client: Client;
  readonly url: string;
  /** Empty without one. */
  readonly apiKey: string;
  readonly words: readonly string[];
  /** All other flags, spelled like API parameters: `--min-usd` is `minUsd`. */
  readonly flags: Readonly<Record<string, Value>>;
  readonly isJson: boolean;
}

/** Reads a command line whose flags are API parameters, which the service validates. */
export function readRemote(args: readonly string[], terminal: Terminal): RemoteLine {
  const { flags, ...line } = readRepeated(args, terminal);
  const once = Object.entries(flags).map(([name, values]) => [name, onlyOne(name, values)]);
  return { ...line, flags: Object.fromEntries(once) as RemoteLine['flags'] };
}

/** As above, for parameters that may be repeated. */
export function readRepeated(
  args: readonly string[],
  { environment }: Terminal,
): RemoteLine<readonly string[]> {
  const words: string[] = [];
  const flags: Record<string, string[]> = {};
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
    (flags[name] ??= []).push(value);
  }
  const { url: urls, apiKey: keys, ...rest } = flags;
  const url = onlyOne('url', urls) ?? environment.CROSSTAPE_URL ?? LOCAL;
  if (!/^https?:\/\/\S+$/.test(url))
    throw new UsageError(`--url must be an http or https address, not "${url}"`);
  const apiKey = onlyOne('apiKey', keys) ?? environment.CROSSTAPE_API_KEY ?? '';
  // Node 20 has no global WebSocket.
  const client = new Client({ url, ...(apiKey !== '' && { apiKey }), WebSocket });
  return { client, url, apiKey, words, flags: rest, isJson };
}

function onlyOne(name: string, values: readonly string[] | undefined): string | undefined {
  if (values && values.length > 1) throw new UsageError(`--${flagOf(name)} was given twice`);
  return values?.[0];
}

/** The flag of a parameter. */
export function flagOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

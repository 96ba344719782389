import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import { tiers } from '../../platform/key-store.ts';
import { isKeyText } from '../../platform/key-text.ts';
import { createLog, type Log } from '../../platform/log.ts';
import { tierQuotas } from '../../platform/quota.ts';
import { systemClock } from '../../platform/system-clock.ts';
import { readLine, readValue, UsageError } from '../../settings/read-settings.ts';
import { choiceSetting, textSetting, urlSetting } from '../../settings/setting.ts';
import { DataFolderError } from '../../store/data-folder.ts';
import { type KeyRecord, KEYS_LISTED_MAX } from '../../features/keys/key-table.ts';
import type { Usage } from '../../features/keys/key-usage.ts';
import { keysFolder, openKeys, type OpenedKeys } from '../../features/keys/open-keys.ts';
import type { Terminal } from '../command.ts';
import { printTable } from '../print-table.ts';

const data = textSetting({
  name: 'data',
  flag: 'data',
  variable: 'DATA_DIR',
  fallback: './data',
  help: 'folder for everything recorded',
});
const redis = urlSetting({
  name: 'redis',
  flag: 'redis',
  variable: 'REDIS_URL',
  fallback: undefined,
  protocols: ['redis', 'rediss'],
  help: 'shared store for several processes; unset: the data folder',
});
const tier = choiceSetting({
  name: 'tier',
  flag: 'tier',
  variable: '',
  fallback: 'free',
  choices: tiers,
  help: 'quota tier',
});
const LABEL_CHARS_MAX = 100;
const CONNECT_MS_MAX = 10_000;

interface PlacedKeys extends OpenedKeys {
  /** Their location, for messages: a service elsewhere does not know them. */
  readonly place: string;
}

interface Action {
  readonly flags?: readonly string[];
  readonly switches?: readonly string[];
  readonly wordsMax?: number;
  /** Whether a folder without keys is accepted. */
  readonly mayBeNew?: boolean;
  /** Returns the lines to print. */
  run(keys: PlacedKeys, given: ReturnType<typeof readLine>, terminal: Terminal): Promise<string>;
}

const create: Action = {
  flags: ['tier', 'label'],
  switches: ['json'],
  mayBeNew: true,
  async run({ ring, place }, { flags, switches }, terminal) {
    const { label } = flags;
    if (label !== undefined && !/^[^\p{Cc}]+$/u.test(label))
      throw new UsageError('--label must be a single line');
    if (label !== undefined && label.length > LABEL_CHARS_MAX)
      throw new UsageError(`--label must be at most ${LABEL_CHARS_MAX} characters`);
    const { text, record } = await ring.create(readValue(tier, flags.tier), label);
    // Only the key is printed on stdout, so that it can be piped without being shown.
    terminal.error(
      `key ${record.id}, ${record.tier}, ${tierQuotas[record.tier]} requests a minute, in ${place}; shown only once; only a hash is stored`,
    );
    return switches.has('json') ? JSON.stringify({ key: text, ...plain(record) }) : text;
  },
};

const list: Action = {
  switches: ['json', 'all'],
  async run({ table, usage }, { switches }) {
    const uses = await usage.all(KEYS_LISTED_MAX);
    const rows = (await table.list())
      .filter(({ revokedAtMs }) => switches.has('all') || revokedAtMs === undefined)
      .map((record) => ({ record, usage: uses.get(record.id) ?? { today: 0, total: 0 } }));
    if (switches.has('json')) return JSON.stringify(rows.map((row) => plain(row.record, row.usage)));
    const head = ['id', 'tier', 'today', 'total', 'last used', 'created', 'revoked', 'label'];
    return printTable([head, ...rows.map(cellsOf)], new Set([2, 3]));
  },
};

const revoke: Action = {
  wordsMax: 1,
  async run(keys, { words: [word] }) {
    const { id, revokedAtMs } = await named(keys, word);
    if (revokedAtMs !== undefined) return `key ${id} was revoked ${time(revokedAtMs)}`;
    await keys.table.revoke(id, systemClock.now());
    return `revoked key ${id}; takes effect in running services within 10 s`;
  },
};

const changeTier: Action = {
  wordsMax: 2,
  async run(keys, { words: [word, wanted] }) {
    if (wanted === undefined) throw new UsageError(`keys tier needs a key and one of ${tiers.join(', ')}`);
    const to = readValue(tier, wanted);
    const { id } = await named(keys, word);
    await keys.table.setTier(id, to);
    return `key ${id} is ${to} now, ${tierQuotas[to]} requests a minute; a service that runs knows within 10 s`;
  },
};

const actions = { create, list, revoke, tier: changeTier };
export type ActionName = keyof typeof actions;

export async function runAction(
  name: ActionName,
  args: readonly string[],
  terminal: Terminal,
): Promise<number> {
  const action: Action = actions[name];
  const { flags = [], switches = [], wordsMax = 0, mayBeNew = false } = action;
  const given = readLine(args, { names: ['data', 'redis', ...flags], switches, wordsMax });
  const log = createLog({ level: 'warn' });
  const url = readValue(redis, given.flags.redis ?? (terminal.environment.REDIS_URL || undefined));
  const folder = readValue(data, given.flags.data ?? (terminal.environment.DATA_DIR || undefined));
  const keys = url === undefined ? await keysOf(folder, mayBeNew, log) : await keysAt(url, log);
  try {
    terminal.out(await action.run(keys, given, terminal));
  } finally {
    await keys.close();
  }
  return 0;
}

async function keysOf(folder: string, mayBeNew: boolean, log: Log): Promise<PlacedKeys> {
  const exists = (path: string): Promise<boolean> =>
    access(path).then(
      () => true,
      () => false,
    );
  if (!mayBeNew && !(await exists(keysFolder(folder)))) throw new DataFolderError(`no keys in ${folder}`);
  const isNew = !(await exists(folder));
  const keys = await openKeys({ data: folder, clock: systemClock, log, writer: 'command' });
  return { ...keys, place: `${resolve(folder)}${isNew ? ' (a new folder)' : ''}` };
}

async function keysAt(url: string, log: Log): Promise<PlacedKeys> {
  const { connectRedis, isConnected } = await import('../../cluster/redis.ts');
  const { openSharedKeys } = await import('../../cluster/open-shared-keys.ts');
  const link = connectRedis(url);
  const late = systemClock.after(CONNECT_MS_MAX, () => link.disconnect());
  await isConnected(link).catch(() => {
    throw new Error(`no answer from ${new URL(url).host}`);
  });
  late.cancel();
  const keys = await openSharedKeys({ link, clock: systemClock, log, writer: 'command' });
  return {
    ...keys,
    place: `the Redis at ${new URL(url).host}`,
    async close() {
      await keys.close();
      link.disconnect();
    },
  };
}

/** The key with an id, or with its whole text. */
async function named({ table }: OpenedKeys, word: string | undefined): Promise<KeyRecord> {
  if (word === undefined) throw new UsageError('missing key id; run crosstape keys list');
  const record = isKeyText(word) ? await table.find(word) : await table.get(word);
  if (!record) throw new Error('no such key; run crosstape keys list');
  return record;
}

function plain({ createdAtMs, revokedAtMs, ...record }: KeyRecord, usage?: Usage): object {
  return {
    ...record,
    createdAt: createdAtMs,
    ...(revokedAtMs !== undefined && { revokedAt: revokedAtMs }),
    ...(usage && {
      requestsToday: usage.today,
      requestsTotal: usage.total,
      lastUsedAt: usage.lastUsedAtMs ?? null,
    }),
  };
}

function cellsOf({ record, usage }: { record: KeyRecord; usage: Usage }): readonly string[] {
  const { id, createdAtMs, revokedAtMs, label = '' } = record;
  const counts = [String(usage.today), String(usage.total), time(usage.lastUsedAtMs)];
  return [id, record.tier, ...counts, time(createdAtMs), time(revokedAtMs), label];
}

function time(ms: number | undefined): string {
  return ms === undefined ? '' : `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

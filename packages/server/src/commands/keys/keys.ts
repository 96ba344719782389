import { UsageError } from '../../settings/read-settings.ts';
import type { Command } from '../command.ts';
import type { ActionName } from './key-actions.ts';

const names: readonly ActionName[] = ['create', 'list', 'revoke', 'tier'];

const help = `Keys belong to a data folder (--data, DATA_DIR; ./data), whatever is recorded in it. Safe while a
service runs: new keys work immediately; revocations and tier changes take effect within 10 s. With
--redis (REDIS_URL) they are those of all gateways on that server.

crosstape keys create [--tier free|pro] [--label TEXT] [--json]
  Creates a key and prints it once; only a hash is stored. free: 300 requests a minute; pro: 3000.

crosstape keys list [--all] [--json]
  Lists active keys, oldest first, with requests today (UTC) and in total. --all: revoked
  ones too.

crosstape keys revoke ID
  Revokes a key permanently. Accepts the id (see list) or the key itself.

crosstape keys tier ID free|pro
  Changes the tier of a key. The key itself stays the same.

Exit codes: 1 no such key, or the folder cannot be used; 2 invalid usage.

Examples:
  crosstape keys create --tier pro --label "team 7" --data /var/lib/crosstape
  crosstape keys list --json
  crosstape keys revoke 3f1c9a0b5d2e4f67`;

/** API keys. */
export const keys: Command = {
  name: 'keys',
  summary: 'create, list, revoke keys, or change their tier',
  help: () => help,
  async run([word, ...args], terminal) {
    const name = names.find((one) => one === word);
    // Loaded on demand: it imports the store.
    if (name) return (await import('./key-actions.ts')).runAction(name, args, terminal);
    const words = names.join(', ');
    throw new UsageError(
      `keys needs one of ${words}${word === undefined ? '' : `, not ${word}`}; see crosstape help keys`,
    );
  },
};

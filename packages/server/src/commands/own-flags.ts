import { UsageError } from '../settings/read-settings.ts';
import type { Setting } from '../settings/setting.ts';

/** Ids of venues and other sources, for commands that run connectors. */
export const venuesFlag: Setting<readonly string[] | undefined> = {
  name: 'venues',
  flag: 'venues',
  variable: '',
  fallback: undefined,
  allowed: 'ids separated by commas',
  help: 'which ones',
  read: (text) => (/^[a-z0-9-]+(,[a-z0-9-]+)*$/.test(text) ? text.split(',') : undefined),
};

/** Splits the flags of a command from those of the service. */
export function splitFlags(
  args: readonly string[],
  flags: readonly Pick<Setting<unknown>, 'flag'>[],
): {
  readonly own: ReadonlyMap<string, string>;
  readonly rest: readonly string[];
} {
  const names = new Set(flags.map(({ flag }) => flag));
  const own = new Map<string, string>();
  const rest: string[] = [];
  for (let i = 0; i < args.length; i += 1) {
    const arg = args[i] ?? '';
    const [name = '', value] = arg.replace(/^--/, '').split(/=(.*)/s, 2);
    if (!arg.startsWith('--') || !names.has(name)) {
      rest.push(arg);
      continue;
    }
    const given = value ?? args[(i += 1)];
    if (given === undefined) throw new UsageError(`--${name} needs a value`);
    if (own.has(name)) throw new UsageError(`--${name} was given twice`);
    own.set(name, given);
  }
  return { own, rest };
}

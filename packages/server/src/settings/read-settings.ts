import { parseArgs } from 'node:util';
import type { Publisher } from '@crosstape/venues';
import { didYouMean } from './closest-name.ts';
import type { Setting } from './setting.ts';
import { originName, type Settings, settingsFor } from './settings.ts';

/** Invalid input of the user: one line, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export interface ResolvedSetting {
  readonly setting: Setting;
  readonly value: unknown;
  readonly origin: 'default' | 'flag' | 'environment';
}

export interface Resolved {
  readonly settings: Settings;
  /** Each with the origin of its value. */
  readonly rows: readonly ResolvedSetting[];
}

/** A flag overrides its variable, a variable the default. Throws a `UsageError` for anything invalid. */
export function readSettings(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  publishers: readonly Publisher[],
): Resolved {
  const all = settingsFor(publishers);
  const flags = readFlags(
    args,
    all.map((setting) => setting.flag),
  );
  const rows = all.map((setting): ResolvedSetting => {
    const flag = flags[setting.flag];
    if (flag !== undefined)
      return { setting, value: readOne(setting, flag, `--${setting.flag}`), origin: 'flag' };
    const variable = environment[setting.variable];
    if (variable === undefined || variable === '')
      return { setting, value: setting.fallback, origin: 'default' };
    return { setting, value: readOne(setting, variable, setting.variable), origin: 'environment' };
  });
  const hasRedis = rows.some(({ setting, value }) => setting.name === 'redis' && value !== undefined);
  const effective = hasRedis ? rows.map(withRedisDefault) : rows;
  return { settings: asSettings(effective, publishers), rows: effective };
}

function withRedisDefault(row: ResolvedSetting): ResolvedSetting {
  const { setting, origin } = row;
  if (origin !== 'default' || setting.fallbackOnRedis === undefined) return row;
  return { ...row, value: setting.fallbackOnRedis };
}

/** Reads `--name value` and `--name=value`; every flag takes a value, none may repeat, nothing else is allowed. */
export function readFlags(
  args: readonly string[],
  names: readonly string[],
): Readonly<Record<string, string>> {
  return readLine(args, { names }).flags;
}

/** What a command line may contain besides flags with a value. */
export interface LineRules {
  readonly names: readonly string[];
  /** Flags without a value. */
  readonly switches?: readonly string[];
  /** Maximum number of positional words. */
  readonly wordsMax?: number;
}

export interface Line {
  readonly flags: Readonly<Record<string, string>>;
  readonly switches: ReadonlySet<string>;
  readonly words: readonly string[];
}

/** Reads a command line; throws a `UsageError` for anything that the rules do not allow. */
export function readLine(args: readonly string[], { names, switches = [], wordsMax = 0 }: LineRules): Line {
  const options = Object.fromEntries([
    ...names.map((name) => [name, { type: 'string' as const, multiple: true as const }] as const),
    ...switches.map((name) => [name, { type: 'boolean' as const, multiple: true as const }] as const),
  ]);
  let parsed: { values: Readonly<Record<string, (string | boolean)[] | undefined>>; positionals: string[] };
  try {
    const strict = { strict: true, allowPositionals: wordsMax > 0 };
    parsed = parseArgs({ args: [...args], options, ...strict }) as typeof parsed;
  } catch (error) {
    throw new UsageError(flagMessage(error as Error & { code?: string }, args, [...names, ...switches]));
  }
  const extra = parsed.positionals[wordsMax];
  if (extra !== undefined) throw new UsageError(`unexpected argument ${extra}; see crosstape help`);
  const flags: Record<string, string> = {};
  for (const [name, given] of Object.entries(parsed.values)) {
    if (!given) continue;
    if (given.length > 1) throw new UsageError(`--${name} is given ${given.length} times; give it once`);
    if (typeof given[0] === 'string') flags[name] = given[0];
  }
  const on = new Set(switches.filter((name) => parsed.values[name] !== undefined));
  return { flags, switches: on, words: parsed.positionals };
}

function flagMessage(
  error: Error & { code?: string },
  args: readonly string[],
  names: readonly string[],
): string {
  const quoted = /'([^']*)'/.exec(error.message)?.[1] ?? args.join(' ');
  if (error.code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION')
    return `unknown flag ${quoted};${didYouMean(quoted.replace(/^-+/, ''), names, '--')} crosstape help all lists them`;
  if (error.code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL')
    return `unexpected argument ${quoted}; see crosstape help`;
  return `${quoted.split(' ')[0]} needs a value`;
}

/** The value of a flag that is not a setting of the service. */
export function readValue<Value>(setting: Setting<Value>, text: string | undefined): Value {
  return text === undefined ? setting.fallback : readOne(setting, text, `--${setting.flag}`);
}

function readOne<Value>(setting: Setting<Value>, text: string, given: string): Value {
  const value = setting.read(text);
  if (value === undefined) {
    throw new UsageError(`${given} must be ${setting.allowed}${setting.isSecret ? '' : `, not "${text}"`}`);
  }
  return value;
}

function asSettings(rows: readonly ResolvedSetting[], publishers: readonly Publisher[]): Settings {
  const byName = new Map(rows.map(({ setting, value }) => [setting.name, value]));
  const origins = Object.fromEntries(
    publishers.flatMap(({ id, connector }) =>
      connector
        ? [[id, { rest: byName.get(originName(id, 'rest')), ws: byName.get(originName(id, 'ws')) ?? '' }]]
        : [],
    ),
  );
  return { ...Object.fromEntries(byName), origins } as unknown as Settings;
}
